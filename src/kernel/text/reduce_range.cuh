// Reductions by ranges: a unit of the range is one part of one output, or of several neighbouring
// ones where outputs lie closer in memory than what they are made of. What it has so far is in
// lanes, which the compiler keeps in vectors. With an identity lanes begin as that. Without one
// they are plain values that the first run of elements sets, so that the loop has no question in
// it.
#ifndef TNI_REDUCE_RANGE
#define TNI_REDUCE_RANGE
#include <tenorite/reduction.cuh>

namespace tni {
// One part: its lanes, of which `width` count, and the total of what is in none.
template <class Total, int count> struct lanes {
    alignas(64) typename Total::type values[count];
    Total sum;
    bool used;
    TNI_CALL lanes(const Total &start, ptrdiff_t width) : sum(start), used(Total::has_identity) {
        if (Total::has_identity)
            for (ptrdiff_t l = 0; l < width; l++) values[l] = sum.value;
    }
};

// Adds the values 0 .. count of a row to one output: value k goes to lane k % lanes.
template <class Program, class Total, int most, class Map>
TNI_CALL void add_row(const Program &program, lanes<Total, most> &to, ptrdiff_t count,
                      const Map &map) {
    ptrdiff_t k = 0;
    if (!to.used && count >= most) {
        for (; k < most; k++) to.values[k] = map(k);
        to.used = true;
    }
    if (to.used)
        for (; k + most <= count; k += most)
            for (int l = 0; l < most; l++)
                to.values[l] = program._tni_reduce(to.values[l], map(k + l));
    for (; k < count; k++) to.sum.add(program, map(k));
}
// Adds value k to output k.
template <class Program, class Total, int most, class Map>
TNI_CALL void add_outputs(const Program &program, lanes<Total, most> &to, ptrdiff_t count,
                          const Map &map) {
    begin_row();
    if (to.used)
        for (ptrdiff_t k = 0; k < count; k++)
            to.values[k] = program._tni_reduce(to.values[k], map(k));
    else
        for (ptrdiff_t k = 0; k < count; k++) to.values[k] = map(k);
    to.used = true;
}
template <class Program, class Total, int most>
TNI_CALL void close_row(const Program &program, lanes<Total, most> &of) {
    if (!of.used) return;
    for (int half = most / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            of.values[l] = program._tni_reduce(of.values[l], of.values[l + half]);
    of.sum.add(program, of.values[0]);
}

// Adds a run of elements from element J of output `first` on: of that output, or one of each of
// `count` outputs. The operands begin with the run.
template <bool in_columns, class Program, class Lanes, class... P>
TNI_CALL void add_run(const Program &program, Lanes &to, ptrdiff_t J, ptrdiff_t first,
                      ptrdiff_t count, const P &...p) {
    const int reduced = Program::_tni_reduced;
    const int axis = in_columns ? reduced + Program::_tni_outs - 1 : reduced > 0 ? reduced - 1 : 0;
    const auto map = [&](ptrdiff_t k) TNI_WITHIN {
        return program._tni_map(in_columns ? J : J + k, in_columns ? first + k : first,
                                p.template along<axis>(k)...);
    };
    if (in_columns)
        add_outputs(program, to, count, map);
    else
        add_row(program, to, count, map);
}
template <class P> TNI_CALL P in_row(P p) {
    p.data = begin_row(p.data);
    return p;
}
// Adds elements from J to `end`. The operands begin with output `first`.
template <bool in_columns, class Program, class Lanes, class... P>
TNI_CALL void add_part(const Program &program, Lanes &to, ptrdiff_t J, ptrdiff_t end,
                       ptrdiff_t first, ptrdiff_t width, const P &...p) {
    const int reduced = Program::_tni_reduced, last = reduced > 0 ? reduced - 1 : 0;
    while (J < end) {
        const element_place<Program> at(program, J);
        ptrdiff_t count = reduced > 0 ? program._tni_shape.shape[last] - at.index[last] : 1;
        if (count > end - J) count = end - J;
        add_run<in_columns>(program, to, J, first, in_columns ? width : count,
                            in_row(p.template from<0, reduced>(at.index))...);
        J += in_columns ? 1 : count;
    }
}

// The outputs of a unit: `width` ones from `first` on.
template <bool in_columns> struct unit {
    ptrdiff_t first, width;
    template <class Program>
    TNI_CALL unit(const Program &program, ptrdiff_t number, ptrdiff_t most)
        : first(number), width(1) {
        if (!in_columns) return;
        const ptrdiff_t row = program._tni_outs_shape.shape[room(Program::_tni_outs) - 1];
        const ptrdiff_t units = (row + most - 1) / most, start = number % units * most;
        first = number / units * row + start;
        width = row - start < most ? row - start : most;
    }
};

template <bool in_columns, int most, class Program, class... P>
TNI_CALL void reduce_range(const Program &program, tni_range range, const parts &parts,
                           const P &...p) {
    typedef decltype(program._tni_start()) Total;
    const ptrdiff_t outs = program._tni_outs_shape.size,
                    widest = parts.width < most ? parts.width : most;
    for (ptrdiff_t number = range.begin; number < range.end; number++) {
        const ptrdiff_t part = number % parts.count, begin = part * parts.length;
        ptrdiff_t end = begin + parts.length;
        if (end > parts.elements) end = parts.elements;
        const unit<in_columns> unit(program, number / parts.count, widest);
        lanes<Total, most> lanes(program._tni_start(), in_columns ? unit.width : most);
        const output_place<Program> at(program, unit.first);
        add_part<in_columns>(
            program, lanes, begin, end, unit.first, unit.width,
            p.template from<Program::_tni_reduced, Program::_tni_outs>(at.index)...);
        if (!in_columns) close_row(program, lanes);
        for (ptrdiff_t l = 0; l < unit.width; l++) {
            const ptrdiff_t i = unit.first + l;
            if (in_columns && lanes.used) lanes.sum.put(lanes.values[l]);
            if (parts.count > 1)
                ((Total *)parts.totals)[part * outs + i] = lanes.sum;
            else
                program._tni_write(i, lanes.sum);
        }
    }
}
// The outputs of the totals of parts.
template <class Program>
TNI_CALL void finish_range(const Program &program, tni_range range, const parts &parts) {
    typedef decltype(program._tni_start()) Total;
    const Total *const totals = (const Total *)parts.totals;
    for (ptrdiff_t i = range.begin; i < range.end; i++) {
        Total sum = totals[i];
        for (ptrdiff_t at = 1; at < parts.count; at++)
            sum.merge(program, totals[at * program._tni_outs_shape.size + i]);
        program._tni_write(i, sum);
    }
}
} // namespace tni
#endif
