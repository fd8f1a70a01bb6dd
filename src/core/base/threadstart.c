/* A thread inherits the signal mask of its starter, so all signals are blocked while it is
 * started. */
#include "core/base/threadstart.h"

#include <pthread.h>
#include <signal.h>

int tni_thread_start(void *(*body)(void *context), void *context) {
    pthread_t thread;
    pthread_attr_t detached;
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&thread, &detached, body, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&detached);
    return error;
}
