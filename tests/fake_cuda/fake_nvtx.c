/* A test double of NVTX: it counts the calls of each function. */
#include <stdint.h>
#include <string.h>

#define FAKE_API __attribute__((visibility("default")))

#define FN(result, name, params) FAKE_API result name params;
#include "backend/cuda/driver/nvtx.fn"

FAKE_API long fake_nvtx_calls(const char *function);
FAKE_API const char *fake_nvtx_text(void);

enum {
#define FN(result, name, params) ID_##name,
#include "backend/cuda/driver/nvtx.fn"
    FUNCTIONS
};
static const char *const names[] = {
#define FN(result, name, params) #name,
#include "backend/cuda/driver/nvtx.fn"
};
static long calls[FUNCTIONS];
static char last_text[64];

long fake_nvtx_calls(const char *function) {
    for (int k = 0; k < FUNCTIONS; k++)
        if (strcmp(names[k], function) == 0) return calls[k];
    return -1;
}

const char *fake_nvtx_text(void) {
    return last_text;
}

static void note(int function, const char *text) {
    calls[function]++;
    strncpy(last_text, text, sizeof last_text - 1);
}

void nvtxMarkA(const char *text) {
    note(ID_nvtxMarkA, text);
}

int nvtxRangePushA(const char *text) {
    note(ID_nvtxRangePushA, text);
    return 0;
}

int nvtxRangePop(void) {
    calls[ID_nvtxRangePop]++;
    return 0;
}

uint64_t nvtxRangeStartA(const char *text) {
    note(ID_nvtxRangeStartA, text);
    return 4711;
}

/* Only the range that was given out counts. */
void nvtxRangeEnd(uint64_t range) {
    if (range == 4711) calls[ID_nvtxRangeEnd]++;
}
