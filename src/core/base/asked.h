/* How the calling thread asks for programs of graphs, which a backend may have to compile first. */
#ifndef TNI_ASKED_H
#define TNI_ASKED_H

#include <stdint.h>

typedef enum tni_programs_mode {
    TNI_PROGRAMS_WAIT = 1, /* a call waits for the compiler */
    /* Nothing is launched, whatever is called; programs of graphs that are missing are counted. */
    TNI_PROGRAMS_ASK,
    TNI_PROGRAMS_BEGIN /* the same, and they are begun to be compiled */
} tni_programs_mode;

typedef struct tni_programs {
    int8_t mode; /* a tni_programs_mode */
    uint8_t begun;
    int16_t missing; /* since the mode was set */
} tni_programs;

extern _Thread_local tni_programs tni_programs_asked;

#endif
