/* Lists of freed blocks that a thread keeps for itself, emptied when the thread ends. */
#ifndef TNI_THREADKEEP_H
#define TNI_THREADKEEP_H

#include <stdbool.h>

/* Registers `drop` to be called when the calling thread ends; at most 12 different functions. False
 * if that is not possible (the block must then be freed at once). Cheap after the first call. */
bool tni_thread_keeps(void (*drop)(void));

/* How many blocks such a list has at most. None in a build with ASan, which notices the use of a
 * freed block only if the block went back to the heap. */
#ifdef __SANITIZE_ADDRESS__
#define TNI_KEPT(count) 0
#else
#define TNI_KEPT(count) (count)
#endif

#endif
