/* stat(). With glibc it is the function that all its versions have, which is told the layout of
 * struct stat by a number of the processor's (TNI_OLDEST_GLIBC, meson.build). */
#include "core/base/facts.h"

#include <fcntl.h>

#ifdef TNI_OLDEST_GLIBC
#ifdef __x86_64__
enum { LAYOUT = 1 };
#else
enum { LAYOUT = 0 };
#endif
int __fxstatat64(int layout, int folder, const char *name, struct stat *facts, int flags);

static int read_facts(int folder, const char *name, struct stat *facts, int flags) {
    return __fxstatat64(LAYOUT, folder, name, facts, flags);
}
#else
static int read_facts(int folder, const char *name, struct stat *facts, int flags) {
    return fstatat(folder, name, facts, flags);
}
#endif

int tni_facts_of_path(const char *path, struct stat *facts) {
    return read_facts(AT_FDCWD, path, facts, 0);
}

int tni_facts_of_file(int file, struct stat *facts) {
    return read_facts(file, "", facts, AT_EMPTY_PATH);
}

int tni_facts_of_entry(int folder, const char *name, struct stat *facts) {
    return read_facts(folder, name, facts, AT_SYMLINK_NOFOLLOW);
}
