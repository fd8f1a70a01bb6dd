/* What callback.c gives to other files. */
#ifndef TNI_CUDA_STREAM_CALLBACK_H
#define TNI_CUDA_STREAM_CALLBACK_H

#include "backend/cuda/table.h"
#include <tenorite/linalg.h>

#include <stdatomic.h>

/* Whether this thread is calling a program's function on behalf of a stream. */
bool tni_cuda_in_callback(void);
/* Functions of the program that streams have yet to call. The driver may make a call wait for them (its
 * queue is full, or memory is not page-locked), so then whoever enters gives up what they need. */
extern atomic_int tni_cuda_pending;
/* Calls a function that gives memory back, when no program's function is pending: now, or, in such a
 * function, later. What is destroyed there without a wait, such as an event, goes this way, too. */
void tni_cuda_give_back(void (*function)(void *context, int number), void *context, int number);
/* The thread that calls such: 1, or 0 before it was needed. */
int tni_cuda_cleaner_count(void);
/* A graph is about to call so many of them; negative: it did not begin. */
void tni_cuda_expect_callbacks(int count);

#endif
