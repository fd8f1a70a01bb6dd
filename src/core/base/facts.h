/* What a file system knows of a file: stat() under one name for each way to name the file. glibc
 * before 2.33 has no stat() that programs built on a later one could call. */
#ifndef TNI_FACTS_H
#define TNI_FACTS_H

#include <sys/stat.h>

/* Each returns 0, or -1 with errno set. */
int tni_facts_of_path(const char *path, struct stat *facts);
int tni_facts_of_file(int file, struct stat *facts);
/* Of an entry of an open folder; of a link itself. */
int tni_facts_of_entry(int folder, const char *name, struct stat *facts);

#endif
