/* Networks of exchanges: which wires are compared, in which order, until one of them holds the
 * value of a rank. */
#ifndef TNI_FORMS_NETWORK_H
#define TNI_FORMS_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

enum { TNI_NETWORK_WIRES = 255, TNI_NETWORK_EXCHANGES = 4096 };

/* The lesser value goes to `low`, the larger to `high`. One that nothing reads any more is not
 * kept. */
typedef struct tni_exchange {
    uint8_t low, high;
    bool keeps_low, keeps_high;
} tni_exchange;

typedef struct tni_network {
    int count;
    int wire; /* that holds the answer */
    tni_exchange exchanges[TNI_NETWORK_EXCHANGES];
} tni_network;

#endif
