/* What the two files of cuDNN's double share. */
#ifndef FAKE_CUDNN_H
#define FAKE_CUDNN_H

#include <stdbool.h>

/* Notes a line of the log. */
void fake_cudnn_note(const char *line);
/* The status with which FAKE_CUDNN_FAILS lets a call fail, of a function or of "function:number";
 * 0: it does not. */
int fake_cudnn_failing(const char *name, int number);
bool fake_cudnn_is_handle(const void *handle);
/* Leaves a host function on a handle's stream, so that captures see the call. 0 or a status. */
int fake_cudnn_queue(void *handle);
/* Descriptors of the graph interface that live. */
int fake_cudnn_graph_living(void);

#endif
