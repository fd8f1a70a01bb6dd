/* The host as a device: how many of it there are, its name, its memory. Several devices are one
 * machine under several numbers, for testing; they share the memory of the figures. */

#include "backend/host/loops.h"
#include "backend/host/table.h"
#include "core/base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { DEVICES_MAX = 64 };

/* TENORITE_HOST_DEVICES, which must be 1 .. DEVICES_MAX, or empty. */
int tni_host_device_count(void) {
    static atomic_int known;
    int count = atomic_load_explicit(&known, memory_order_relaxed);
    if (count > 0) return count;
    const char *wish = getenv("TENORITE_HOST_DEVICES");
    char *end = NULL;
    long number = wish && *wish ? strtol(wish, &end, 10) : 1;
    if ((end && *end) || number < 1 || number > DEVICES_MAX) {
        tni_fail(TN_ERROR_VALUE,
                 "TENORITE_HOST_DEVICES=%s is no number of devices: 1 to %d are allowed", wish,
                 DEVICES_MAX);
        return -1;
    }
    count = (int)number;
    atomic_store_explicit(&known, count, memory_order_relaxed);
    return count;
}

tn_status tni_host_device_name(int number, char *name, size_t size) {
    (void)number;
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(name, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
        fclose(file);
        return TN_OK;
    }
    if (file) fclose(file);
    struct utsname system;
    snprintf(name, size, "%s", uname(&system) == 0 ? system.machine : "host");
    return TN_OK;
}

tn_status tni_host_device_level(int number, char *level, size_t size) {
    (void)number;
    snprintf(level, size, "%s", tni_loops_isa());
    return TN_OK;
}

/* The number in a file ("max" and a missing file: -1). */
static int64_t read_number(const char *path) {
    long long number;
    FILE *file = fopen(path, "re");
    if (!file) return -1;
    if (fscanf(file, "%lld", &number) != 1) number = -1;
    fclose(file);
    return number;
}

/* A line of /proc/meminfo in bytes, -1 if there is none. */
static int64_t read_meminfo(const char *key) {
    char line[128];
    long long kibibytes = -1;
    FILE *file = fopen("/proc/meminfo", "re");
    if (!file) return -1;
    while (fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), "%lld", &kibibytes))
            break;
    fclose(file);
    return kibibytes < 0 ? -1 : (int64_t)kibibytes * 1024;
}

/* The machine's memory, or what the control group (a container) leaves of it. */
tn_status tni_host_memory_info(int number, int64_t *free_bytes, int64_t *total_bytes) {
    (void)number;
    int64_t page = sysconf(_SC_PAGESIZE);
    int64_t total = (int64_t)sysconf(_SC_PHYS_PAGES) * page;
    int64_t available = read_meminfo("MemAvailable:");
    if (available < 0) available = (int64_t)sysconf(_SC_AVPHYS_PAGES) * page;
    int64_t limit = read_number("/sys/fs/cgroup/memory.max");
    int64_t used = read_number("/sys/fs/cgroup/memory.current");
    if (limit < 0) {
        limit = read_number("/sys/fs/cgroup/memory/memory.limit_in_bytes");
        used = read_number("/sys/fs/cgroup/memory/memory.usage_in_bytes");
    }
    if (limit > 0 && limit < total) {
        total = limit;
        if (used >= 0 && limit - used < available) available = limit > used ? limit - used : 0;
    }
    *free_bytes = available;
    *total_bytes = total;
    return TN_OK;
}
