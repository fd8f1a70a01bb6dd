/* The folder of the cache, and the records in it. */
#ifndef TNI_KERNEL_CACHE_FILES_H
#define TNI_KERNEL_CACHE_FILES_H

#include "core/base/error.h"
#include "kernel/cache/digest.h"

#include <tenorite/status.h>

/* A record is an image or a link to one. Archives know it by `base`, which leaves the compiler's
 * version out, the folder by `key`, which has it in. */
typedef enum tni_record_kind {
    TNI_RECORD_IMAGE = 1,
    TNI_RECORD_LINK = 2,
    TNI_RECORD_HOST = 3, /* a shared object of the host; its architecture is 0 */
    TNI_RECORD_USER = 4  /* the image of a program's own text; no archive has one */
} tni_record_kind;

typedef struct tni_record {
    uint32_t kind, arch, version, reserved; /* no padding: it goes to the file as it is */
    tni_key base, key;
    uint64_t bytes;
} tni_record;

/* Tells whether a record and its payload are whole. */
tni_key tni_record_check(const tni_record *record, const void *data);

/* The payload of a link. */
typedef struct tni_link {
    tni_key base, key;
} tni_link;

/* Reads a record into memory of tni_malloc(), with a NUL after it. False: not there, or not whole;
 * then it is deleted if that is possible. A record that was read counts as used last. */
bool tni_cache_files_read(tni_record *record, char **data, const tni_key *key);

/* Writes a record under its key; the oldest files go if the folder grows beyond its limit. Failing
 * is no error: the kernel is compiled again some day. False: it was not written. */
bool tni_cache_files_write(const tni_record *record, const void *data);
/* How many records of this process could not be written, and the errno of the last one. */
int64_t tni_cache_files_failures(int *error);

/* Whether anything can be written: TN_ERROR_RUNTIME says why not. */
tn_status tni_cache_files_check(void);

/* Whether the folder holds no record, or is not there. */
bool tni_cache_files_is_empty(void);

/* Calls `visit` for each whole record until it returns false. */
void tni_cache_files_each(bool (*visit)(void *context, const tni_record *record, const char *data),
                          void *context);

void tni_cache_files_info(char *folder, size_t folder_bytes, char *reason, size_t reason_bytes,
                          bool *is_writeable, int64_t *files, int64_t *bytes, int64_t *limit);
tn_status tni_cache_files_clear(void);

/* For tests: looks at the environment again. */
void tni_cache_files_reset(void);

#endif
