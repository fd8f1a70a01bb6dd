/* Whether a process lives, by what the system says of it. The time at which it began tells it from
 * a later one of the same number. A process that has ended stays in the system's table until its
 * parent has looked, so that a signal of 0 would still reach it; its state says so. */
#include "backend/host/collectives/peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 20 }; /* from the state to the time of the beginning (proc(5)) */

int64_t tni_process_started(int process) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    FILE *file = fopen(path, "re");
    if (!file) return -1;
    size_t read = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[read] = '\0';
    char *at = strrchr(text, ')'); /* a name may have any sign in it */
    if (!at || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X') return -1;
    at += 2;
    for (int k = 1; k < FIELDS && at; k++)
        at = strchr(at + 1, ' ');
    return at ? strtoll(at + 1, NULL, 10) : -1;
}

bool tni_process_lives(int process, int64_t started) {
    return tni_process_started(process) == started;
}
