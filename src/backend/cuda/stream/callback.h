/* Functions that streams call, and memory given back after them. */
#ifndef TNI_CUDA_STREAM_CALLBACK_H
#define TNI_CUDA_STREAM_CALLBACK_H

#include <tenorite/status.h>

#include <tenorite/device.h>

/* Calls a function that gives memory back when no function of the program is pending: at once, or,
 * within such a function, later. An event that is destroyed within one goes this way, too. */
void tni_cuda_give_back(void (*function)(void *context, int number), void *context, int number);
/* How many threads clean up: 1, or 0 before one was needed. */
int tni_cuda_cleaner_count(void);
/* Counts functions as pending that a graph's launch is about to call; negative: the launch
 * failed. */
void tni_cuda_expect_callbacks(int count);

#endif
