/* Lists of freed blocks that a thread keeps for itself, emptied when the thread ends. */
#ifndef TNI_THREADKEEP_H
#define TNI_THREADKEEP_H

#include <stdbool.h>

/* Registers `drop` to be called when the calling thread ends; at most 8 different functions. False
 * if that is not possible (the block must then be freed at once). Cheap after the first call. */
bool tni_thread_keeps(void (*drop)(void));

#endif
