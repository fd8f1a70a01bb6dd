/* Recursive filters of one section and a high order: a block takes a line, a thread some numbers of
 * the state, and all wait for each element.
 *
 * The program defines Value, Wide, COMPLEX, TWOFOLD, BLOCK and REVERSED. The state stands in a
 * ring, so that only its beginning moves: number k of it lies at (n + k) % (order + 1) before
 * element n. */
#define MACROS BLOCK, COMPLEX, TWOFOLD, REVERSED
#define SECTIONS 1
#define ORDER 1 /* the functions of recursion.cuh that know it are not used */
#include "recursion.cuh"

struct Params {
    const Wide *coefficients;
    const Value *input, *initial; /* initial: or NULL */
    Value *output, *final;        /* final: or NULL */
    Value *room;                  /* of each block: b, -a, the ring; order + 1 each */
    tn_i64 outer, length, inner, order;
};

/* What a block has in its room. */
struct Room {
    Value *b, *a, *ring;
};

__device__ __forceinline__ void prepare(const Room &room, const Params &p) {
    const Wide *from = p.coefficients;
    const Wide by = from[p.order + 1];
    for (tn_i64 k = threadIdx.x; k <= p.order; k += BLOCK) {
        convert(room.b[k], quotient(from[k], by));
        convert(room.a[k], opposite(quotient(from[p.order + 1 + k], by)));
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_i64 places = p.order + 1, lines = p.outer * p.inner;
    const tn_i64 step = REVERSED ? -p.inner : p.inner;
    Room room;
    room.b = p.room + blockIdx.x * 3 * places;
    room.a = room.b + places;
    room.ring = room.a + places;
    prepare(room, p);
    for (tn_i64 line = blockIdx.x; line < lines; line += gridDim.x) {
        const tn_i64 outer = line / p.inner, beside = line % p.inner;
        tn_i64 at = outer * p.length * p.inner + beside;
        tn_i64 head = 0; /* n % places */
        if (REVERSED) at += (p.length - 1) * p.inner;
        __syncthreads();
        for (tn_i64 k = threadIdx.x; k < places; k += BLOCK) {
            room.ring[k] = Value();
            if (p.initial && k < p.order)
                room.ring[k] = p.initial[(outer * p.order + k) * p.inner + beside];
        }
        __syncthreads();
        for (tn_i64 n = 0; n < p.length; n++, at += step) {
            const Value x = p.input[at], y = fused(room.b[0], x, room.ring[head]);
            if (threadIdx.x == 0) p.output[at] = y;
            /* The place of the head is what the last number begins with: 0. */
            for (tn_i64 k = threadIdx.x; k < p.order; k += BLOCK) {
                tn_i64 place = head + 1 + k;
                if (place >= places) place -= places;
                const Value old = k == p.order - 1 ? Value() : room.ring[place];
                room.ring[place] = fused(room.a[k + 1], y, fused(room.b[k + 1], x, old));
            }
            if (++head == places) head = 0;
            __syncthreads();
        }
        if (!p.final) continue;
        for (tn_i64 k = threadIdx.x; k < p.order; k += BLOCK) {
            tn_i64 place = head + k;
            if (place >= places) place -= places;
            p.final[(outer * p.order + k) * p.inner + beside] = room.ring[place];
        }
    }
}
