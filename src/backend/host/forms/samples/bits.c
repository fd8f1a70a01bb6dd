/* The forms "packbits" and "unpackbits" on the host: the bytes of bits of all rows are shared out
 * among the threads; whole ones go through the level's loops. */
#include "backend/host/forms/forms.h"
#include "backend/host/loops/level.h"
#include "backend/host/threads.h"
#include "forms/samples.h"

#include <string.h>

enum { GRAIN = 1 << 13 }; /* bytes of bits: about a microsecond */

static void pack_rows(void *context, int64_t begin, int64_t end) {
    const tni_packbits *call = context;
    const int64_t width = (call->length + 7) / 8, whole = call->length / 8;
    while (begin < end) {
        const int64_t row = begin / width, at = begin % width;
        const int64_t stop = end - begin < width - at ? at + end - begin : width;
        const int64_t last = stop < whole ? stop : whole;
        const char *from = call->input + row * call->length;
        char *to = call->output + row * width;
        if (at < last)
            tni_loops_level()->bits->pack(to + at, from + 8 * at, last - at, call->is_little);
        if (stop > whole) {
            char some[8] = {0};
            memcpy(some, from + 8 * whole, (size_t)(call->length - 8 * whole));
            tni_loops_level()->bits->pack(to + whole, some, 1, call->is_little);
        }
        begin += stop - at;
    }
}

static void unpack_rows(void *context, int64_t begin, int64_t end) {
    const tni_unpackbits *call = context;
    const int64_t width = (call->length + 7) / 8, whole = call->length / 8;
    const int64_t most = whole < call->bytes ? whole : call->bytes; /* bytes with eight flags */
    while (begin < end) {
        const int64_t row = begin / width, at = begin % width;
        const int64_t stop = end - begin < width - at ? at + end - begin : width;
        const int64_t last = stop < most ? stop : most;
        const char *from = call->input + row * call->bytes;
        char *to = call->output + row * call->length;
        if (at < last)
            tni_loops_level()->bits->unpack(to + 8 * at, from + at, last - at, call->is_little);
        for (int64_t k = at < most ? most : at; k < stop; k++) {
            const int64_t left = call->length - 8 * k;
            char some[8] = {0};
            if (k < call->bytes)
                tni_loops_level()->bits->unpack(some, from + k, 1, call->is_little);
            memcpy(to + 8 * k, some, left < 8 ? (size_t)left : 8);
        }
        begin += stop - at;
    }
}

tn_status tni_host_run_packbits(void *parameters) {
    const tni_packbits *call = parameters;
    tni_parallel_short(call->rows * ((call->length + 7) / 8), GRAIN, pack_rows, parameters);
    return TN_OK;
}

TNI_HOST_PLAN(packbits, call->rows * call->length / 8)

tn_status tni_host_run_unpackbits(void *parameters) {
    const tni_unpackbits *call = parameters;
    tni_parallel_short(call->rows * ((call->length + 7) / 8), GRAIN, unpack_rows, parameters);
    return TN_OK;
}

TNI_HOST_PLAN(unpackbits, call->rows * call->length / 8)
