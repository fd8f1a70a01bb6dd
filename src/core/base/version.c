/* The version of the library, from the public header's numbers. */
#include <tenorite/tenorite.h>

#define TEXT(x) TEXT_(x)
#define TEXT_(x) #x

const char *tn_version(void) {
    return TEXT(TN_VERSION_MAJOR) "." TEXT(TN_VERSION_MINOR) "." TEXT(TN_VERSION_PATCH);
}
