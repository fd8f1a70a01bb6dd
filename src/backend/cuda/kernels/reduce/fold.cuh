/* The states that reductions pass around, for every kind of fold.
 *
 * The program defines before including a form of reduction:
 *   Input, Accumulator, Output   storage type read, working type folded, storage type written
 *   FOLD_INPUTS     inputs of the body; 0: Input lies in memory
 *   FOLD_AXES, FOLD_WORDS   where inputs lie otherwise than what the body stands for: its axes; how
 *                   many words their sizes and the strides of these inputs are
 *   Element         what lies at one place: Input
 *   fold_body(to, at, inputs, total)   with FOLD_INPUTS: elements of the array that the body stands
 *                   for, from number `at` on. An address is then such a number times the size of
 *                   Input, so that the tree of a fold is that of the array if it were made.
 *   Accumulator fold_load(Element)   as it is folded (converted; 1 or 0 where counted)
 *   bool fold_is_nan(Element)        only with FOLD_SKIPS_NAN
 *   Accumulator fold_op(Accumulator, Accumulator)   the operation of the table
 *   Accumulator fold_neutral()   what changes nothing: fold_op(neutral, x) is x, bit for bit
 *   Output fold_store(Accumulator)
 *   FOLD_KIND       one of the FOLD_IS_... below
 *   FOLD_SKIPS_NAN  1: NaN takes no part
 *   FOLD_MASKED     1: there is a mask
 *   FOLD_EXITS      1: bool fold_is_done(Accumulator) says that nothing can change the value
 *
 * A kernel of a program (FOLD_IS_USER: a ReductionKernel) defines the macros and Input, and instead
 * of the rest what fold_program.cuh tells.
 *
 * Invariant: results depend on sizes and the launch, never on timing. A group of values that a
 * thread holds is folded as a tree, its result is merged into the thread's state, states are merged
 * in trees. Algorithm for moments: mean and second moment of each group in two passes over
 * registers, around the first element that the thread met, merged by Chan's formula: no
 * cancellation, one division for a group. */
#ifndef FOLD_CUH
#define FOLD_CUH

#include "access.cuh"

#define FOLD_IS_VALUE 0
#define FOLD_IS_MEAN 1
#define FOLD_IS_VAR 2
#define FOLD_IS_STD 3
#define FOLD_IS_ARG 4   /* fold_better(b, a) instead of fold_op: b, the later one, is the result */
#define FOLD_IS_FIRST 5 /* both: an extreme of which several may be wanted; the first in order is */
#define FOLD_IS_USER 6  /* texts of a program */

#define FOLD_PLACES (FOLD_KIND == FOLD_IS_ARG || FOLD_KIND == FOLD_IS_FIRST)

#define FOLD_DROPS (FOLD_SKIPS_NAN || FOLD_MASKED) /* elements may be left out */

/* Memory of a block for states, whose type may have a constructor. */
#define SHARED_STATES(name, count)                                                                 \
    __shared__ __align__(16) unsigned char name##_bytes[sizeof(State) * (count)];                  \
    State *const name = (State *)name##_bytes

#if FOLD_KIND == FOLD_IS_USER

#include "fold_program.cuh"

struct FoldFacts {
    Program program;
};

#else

/* What is the same for a whole launch. The initial value is the accumulator's. */
struct FoldFacts {
    tn_i64 count;      /* elements of one fold */
    double correction; /* of moments */
    tn_i64 has_initial;
    tn_i64 total; /* elements of the array that a body stands for */
    union {
        Accumulator value;
        tn_u64 words[2];
    } initial;
#if FOLD_INPUTS
    BodyInput inputs[FOLD_INPUTS];
#ifdef FOLD_WORDS
    tn_i64 lies[FOLD_WORDS];
#endif
#endif
};

#endif

/* N elements that lie at `from`. They are elements at, at + at_step, ... of the results row,
 * row + row_step, ..., which have `length` each. */
template <int N>
__device__ __forceinline__ void load_folded(Element (&to)[N], const char *from,
                                            const FoldFacts &facts, tn_i64 row, int row_step,
                                            tn_i64 at, int at_step, tn_i64 length) {
#if FOLD_KIND == FOLD_IS_USER
    facts.program._tni_load(
        ProgramLoad<N>{to, from, facts.program, row, row_step, at, at_step, length});
#elif FOLD_INPUTS
    fold_body<N>(to, (tn_i64)((tn_u64)from / sizeof(Input)), facts.inputs, facts.total);
#else
    load_vector<Input, N>(to, from);
#endif
}

/* Which of N elements take part: all, or those with their bit set. */
template <int N> struct All {
    __device__ __forceinline__ bool at(int) const { return true; }
    __device__ __forceinline__ int count() const { return N; }
};
struct Some {
    unsigned bits;
    __device__ __forceinline__ bool at(int k) const { return bits >> k & 1; }
    __device__ __forceinline__ int count() const { return __popc(bits); }
};

#if FOLD_KIND == FOLD_IS_USER

__device__ __forceinline__ State state_empty() {
    return Program::_tni_start();
}

__device__ __forceinline__ void state_merge(State &a, const State &b) {
    a.merge(ProgramFold(), b);
}

template <int N, class Chosen>
__device__ __forceinline__ void state_take(State &s, const Element (&x)[N], Chosen chosen, tn_i64,
                                           tn_i64) {
    const ProgramFold fold;
    if (chosen.count() < N) {
#pragma unroll
        for (int k = 0; k < N; k++)
            if (chosen.at(k)) s.add(fold, x[k]);
        return;
    }
    Element value[N];
#pragma unroll
    for (int k = 0; k < N; k++) value[k] = x[k];
#pragma unroll
    for (int width = 1; width < N; width *= 2)
#pragma unroll
        for (int k = 0; k + width < N; k += 2 * width)
            value[k] = fold._tni_reduce(value[k], value[k + width]);
    s.add(fold, value[0]);
}

#elif FOLD_KIND == FOLD_IS_VALUE || FOLD_KIND == FOLD_IS_MEAN

struct State {
    Accumulator value;
#if FOLD_KIND == FOLD_IS_MEAN && FOLD_DROPS
    tn_i64 count;
#endif
};

__device__ __forceinline__ State state_empty() {
    State s;
    s.value = fold_neutral();
#if FOLD_KIND == FOLD_IS_MEAN && FOLD_DROPS
    s.count = 0;
#endif
    return s;
}

__device__ __forceinline__ void state_merge(State &a, const State &b) {
    a.value = fold_op(a.value, b.value);
#if FOLD_KIND == FOLD_IS_MEAN && FOLD_DROPS
    a.count += b.count;
#endif
}

template <int N, class Chosen>
__device__ __forceinline__ void state_take(State &s, const Element (&x)[N], Chosen chosen, tn_i64,
                                           tn_i64) {
    Accumulator value[N];
#pragma unroll
    for (int k = 0; k < N; k++) value[k] = chosen.at(k) ? fold_load(x[k]) : fold_neutral();
#pragma unroll
    for (int width = 1; width < N; width *= 2)
#pragma unroll
        for (int k = 0; k + width < N; k += 2 * width)
            value[k] = fold_op(value[k], value[k + width]);
    s.value = fold_op(s.value, value[0]);
#if FOLD_KIND == FOLD_IS_MEAN && FOLD_DROPS
    s.count += chosen.count();
#endif
}

template <typename T> __device__ __forceinline__ T divide_by_count(T a, tn_i64 count) {
    return (T)((double)a / (double)count);
}
__device__ __forceinline__ float divide_by_count(float a, tn_i64 count) {
    return a / (float)count;
}
__device__ __forceinline__ tn_c64 divide_by_count(tn_c64 a, tn_i64 count) {
    a.re /= (float)count;
    a.im /= (float)count;
    return a;
}
__device__ __forceinline__ tn_c128 divide_by_count(tn_c128 a, tn_i64 count) {
    a.re /= (double)count;
    a.im /= (double)count;
    return a;
}

__device__ __forceinline__ Output state_finish(const State &s, const FoldFacts &facts) {
    Accumulator value = s.value;
    if (facts.has_initial) value = fold_op(facts.initial.value, value);
#if FOLD_KIND == FOLD_IS_MEAN && FOLD_DROPS
    value = divide_by_count(value, s.count);
#elif FOLD_KIND == FOLD_IS_MEAN
    value = divide_by_count(value, facts.count);
#endif
    return fold_store(value);
}

#elif FOLD_PLACES

struct State {
    tn_i64 position;
    Accumulator value;
};

__device__ __forceinline__ State state_empty() {
    State s;
    s.value = fold_neutral();
    s.position = 0x7fffffffffffffffll; /* nothing yet: loses against an equal value anywhere */
    return s;
}

__device__ __forceinline__ void state_merge(State &a, const State &b) {
    bool wins = fold_better(b.value, a.value) ||
                (b.position < a.position && !fold_better(a.value, b.value));
    if (wins) a = b;
}

template <int N, class Chosen>
__device__ __forceinline__ void state_take(State &s, const Element (&x)[N], Chosen chosen,
                                           tn_i64 position, tn_i64 step) {
    Accumulator best = fold_neutral();
    int at = -1;
#pragma unroll
    for (int k = 0; k < N; k++) {
        Accumulator value = fold_load(x[k]);
        if (chosen.at(k) && (at < 0 || fold_better(value, best))) {
            best = value;
            at = k;
        }
    }
    State group;
    group.value = best;
    group.position = at < 0 ? 0x7fffffffffffffffll : position + at * step;
    state_merge(s, group);
}

#if FOLD_KIND == FOLD_IS_ARG
__device__ __forceinline__ Output state_finish(const State &s, const FoldFacts &) {
    return s.position == 0x7fffffffffffffffll ? -1 : s.position;
}
#else
__device__ __forceinline__ Output state_finish(const State &s, const FoldFacts &facts) {
    return fold_store(facts.has_initial ? fold_op(facts.initial.value, s.value) : s.value);
}
#endif

#else /* moments */

/* The mean is kept as its distance from `shift`, an element: numbers that lie close together around
 * a large mean then lose nothing. The shift of an empty state means nothing. */
struct State {
    Accumulator shift, mean, moment;
    tn_i64 count;
};

__device__ __forceinline__ State state_empty() {
    State s;
    s.shift = 0;
    s.mean = 0;
    s.moment = 0;
    s.count = 0;
    return s;
}

__device__ __forceinline__ void state_merge(State &a, const State &b) {
    if (b.count == 0) return;
    if (a.count == 0) {
        a = b;
        return;
    }
    tn_i64 count = a.count + b.count;
    Accumulator share = (Accumulator)b.count / (Accumulator)count;
    Accumulator difference = (b.shift - a.shift) + (b.mean - a.mean);
    a.mean += difference * share;
    a.moment += b.moment + difference * difference * ((Accumulator)a.count * share);
    a.count = count;
}

template <int N, class Chosen>
__device__ __forceinline__ void state_take(State &s, const Element (&x)[N], Chosen chosen, tn_i64,
                                           tn_i64) {
    Accumulator value[N], sum = 0, moment = 0;
    int count = chosen.count();
    if (count == 0) return;
#pragma unroll
    for (int k = 0; k < N; k++) value[k] = fold_load(x[k]);
    if (s.count == 0) {
#pragma unroll
        for (int k = N - 1; k >= 0; k--) s.shift = chosen.at(k) ? value[k] : s.shift;
    }
#pragma unroll
    for (int k = 0; k < N; k++) {
        value[k] -= s.shift;
        sum += chosen.at(k) ? value[k] : 0;
    }
    State group;
    group.shift = s.shift;
    group.mean = sum / (Accumulator)count;
#pragma unroll
    for (int k = 0; k < N; k++) {
        Accumulator d = chosen.at(k) ? value[k] - group.mean : 0;
        moment += d * d;
    }
    group.moment = moment;
    group.count = count;
    state_merge(s, group);
}

/* As NumPy: nothing over nothing is NaN, and a correction that leaves no degree of freedom gives x
 * / 0, or NaN where NaN are skipped. */
__device__ __forceinline__ Output state_finish(const State &s, const FoldFacts &facts) {
    double divisor = (double)s.count - facts.correction;
    bool is_undefined = s.count == 0 || (FOLD_SKIPS_NAN && divisor <= 0);
    Accumulator value = s.moment / (Accumulator)(divisor > 0 ? divisor : 0);
    if (is_undefined) value = TN_NAN;
#if FOLD_KIND == FOLD_IS_STD
    value = m_sqrt(value);
#endif
    return fold_store(value);
}

#endif

/* The result of the fold number `row`. */
__device__ __forceinline__ void state_write(char *to, const State &s, const FoldFacts &facts,
                                            tn_i64 row) {
#if FOLD_KIND == FOLD_IS_USER
    facts.program._tni_write(row, s);
#else
    *(Output *)to = state_finish(s, facts);
#endif
}

/* Drops NaN from those that were chosen. */
template <int N, class Chosen>
__device__ __forceinline__ void state_take_clean(State &s, const Element (&x)[N], Chosen chosen,
                                                 tn_i64 position, tn_i64 step) {
#if FOLD_SKIPS_NAN
    Some some;
    some.bits = 0;
#pragma unroll
    for (int k = 0; k < N; k++) some.bits |= (unsigned)(chosen.at(k) && !fold_is_nan(x[k])) << k;
    state_take<N>(s, x, some, position, step);
#else
    state_take<N>(s, x, chosen, position, step);
#endif
}

/* The fold of the states of TEAM_LANES neighbouring lanes, in the first of them. Large states are
 * merged in a loop, which is compiled in half the time. */
template <int TEAM_LANES> __device__ __forceinline__ void state_merge_lanes(State &s) {
#pragma unroll(sizeof(State) <= 8 ? 8 : 1)
    for (int by = TEAM_LANES / 2; by > 0; by /= 2) {
        State other = shuffle_down(s, by, TEAM_LANES);
        state_merge(s, other);
    }
}

/* The fold of a block's states, in its first thread. `warps` has a place for each warp. */
template <int THREADS> __device__ __forceinline__ void state_merge_block(State &s, State *warps) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    state_merge_lanes<32>(s);
    __syncthreads(); /* what lies in `warps` from before has been read */
    if (lane == 0) warps[warp] = s;
    __syncthreads();
    if (warp == 0) {
        s = lane < THREADS / 32 ? warps[lane] : state_empty();
        state_merge_lanes<32>(s);
    }
}

#endif
