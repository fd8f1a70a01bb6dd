/* Networks that find the value of a rank. */
#ifndef TNI_NETWORK_H
#define TNI_NETWORK_H

#include "forms/network.h"

/* For runs * length wires, at most TNI_NETWORK_WIRES, of which each `length` neighbours ascend.
 **/
void tni_network_make(tni_network *network, int runs, int length, int rank);
/* Sorts so many wires: `order` receives the wires by the ranks of what they hold then. */
void tni_network_sort(tni_network *network, uint8_t *order, int count);

#endif
