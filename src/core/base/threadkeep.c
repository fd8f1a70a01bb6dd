/* One thread-specific key whose destructor empties every list that the ending thread kept. */
#include "core/base/threadkeep.h"

#include <pthread.h>

enum { LISTS = 12 };
typedef void (*drop_function)(void);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool usable;

static _Thread_local drop_function lists[LISTS];
static _Thread_local int list_count;

static void thread_ends(void *unused) {
    (void)unused;
    int count = list_count;
    list_count = 0;
    for (int k = 0; k < count; k++)
        lists[k]();
}

static void make_key(void) {
    usable = pthread_key_create(&key, thread_ends) == 0;
}

bool tni_thread_keeps(void (*drop)(void)) {
    for (int k = 0; k < list_count; k++)
        if (lists[k] == drop) return true;
    pthread_once(&once, make_key);
    if (!usable || list_count == LISTS) return false;
    if (pthread_setspecific(key, lists) != 0) return false; /* any non-NULL value calls the end */
    lists[list_count++] = drop;
    return true;
}
