/* What a ReductionKernel is for the forms of reductions. The program, which includes
 * tenorite/reduction.cuh, defines
 *   Program   its class, aligned to 16 bytes, whose _tni_reduce and _tni_start need no object;
 *             _tni_load(f) calls f with the operands of inputs, of which those that lie as 'l' and
 *             't' are loaded as vectors, and _tni_leading(from) says which element of the one that
 *             leads ('l') is at an address
 *   Element   what is made of the inputs at one place, as it is folded
 *   State     tni::total of that
 * fold.cuh includes this once. */
#include "access.cuh"

struct ProgramFold {
    __device__ __forceinline__ Element _tni_reduce(const Element &a, const Element &b) const {
        return Program::_tni_reduce(a, b);
    }
};

/* N elements of an operand: copies of what the form loads, places of others. */
template <class P, int N> struct Operands {
    const P &from;
    __device__ __forceinline__ Operands(const P &given, const char *, tn_i64) : from(given) {}
    template <class OutputPlace, class ElementPlace>
    __device__ __forceinline__ decltype(*from.data) get(int, const OutputPlace &output,
                                                        const ElementPlace &element) const {
        return *from.template from<Program::_tni_reduced, Program::_tni_outs>(output.index)
                    .template from<0, Program::_tni_reduced>(element.index)
                    .data;
    }
};
template <class T, int N> struct OperandVector {
    T values[N];
    __device__ __forceinline__ explicit OperandVector(const void *from) {
        load_vector<T, N>(values, (const char *)from);
    }
    template <class OutputPlace, class ElementPlace>
    __device__ __forceinline__ const T &get(int k, const OutputPlace &,
                                            const ElementPlace &) const {
        return values[k];
    }
};
template <class T, int Ndim, int N>
struct Operands<tni::operand<const T, Ndim, 'l'>, N> : OperandVector<T, N> {
    __device__ __forceinline__ Operands(const tni::operand<const T, Ndim, 'l'> &, const char *from,
                                        tn_i64)
        : OperandVector<T, N>(from) {}
};
template <class T, int Ndim, int N>
struct Operands<tni::operand<const T, Ndim, 't'>, N> : OperandVector<T, N> {
    __device__ __forceinline__ Operands(const tni::operand<const T, Ndim, 't'> &given, const char *,
                                        tn_i64 leading)
        : OperandVector<T, N>(given.data + leading) {}
};

/* Elements at, at + at_step, ... of the results row, row + row_step, ...; `from` is where the
 * leading operand has the first of them. An element outside of 0 .. length is not there: any value
 * stands for it. */
template <int N> struct ProgramLoad {
    Element (&to)[N];
    const char *from;
    const Program &program;
    tn_i64 row;
    int row_step;
    tn_i64 at;
    int at_step;
    tn_i64 length;
    template <class... P> __device__ __forceinline__ void operator()(const P &...p) const {
        map(Operands<P, N>(p, from, program._tni_leading(from))...);
    }
    template <class... O> __device__ __forceinline__ void map(const O &...of) const {
#pragma unroll
        for (int k = 0; k < N; k++) {
            const tn_i64 result = row + k * row_step, place = at + k * at_step;
            const tni::output_place<Program> output(program, result);
            const tni::element_place<Program> element(program, place);
            if (place >= 0 && place < length)
                to[k] = program._tni_map(place, result, of.get(k, output, element)...);
            else
                to[k] = Element();
        }
    }
};
