/* Packed caches: one read-only file with many records, as a package ships it. */
#ifndef TNI_KERNEL_CACHE_ARCHIVE_H
#define TNI_KERNEL_CACHE_ARCHIVE_H

#include "kernel/cache/cache_files.h"

#include <tenorite/status.h>

/* Maps an archive; its records are found from now on. A file that is no archive is
 * TN_ERROR_VALUE. */
tn_status tni_archive_add(const char *path);
/* The record of a base key; false: no archive has it whole. The data stays valid for ever, with a
 * NUL after it. */
bool tni_archive_find(tni_record *record, const char **data, const tni_key *base);
/* Leaves the archive with this data out of every later search: the driver can't use its images. */
void tni_archive_refuse(const char *data);
bool tni_archive_is_refused(const char *data);
/* How many images for GPUs the archives have. */
int64_t tni_archive_count(void);

/* Writes the records of the folder for these architectures (count 0: all of GPUs; architecture 0 is
 * the host), the newest compiler's where there are several. An archive of more bytes than the limit
 * (0: none) is TN_ERROR_VALUE and not written. */
tn_status tni_archive_write(const char *path, int count, const int *archs, int64_t limit_bytes);

#endif
