/* Texts that grow by doubling. */
#include "kernel/source.h"
#include "core/base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool reserve(tni_source *source, size_t length) {
    size_t wanted = source->length + length + 1, capacity = source->capacity;
    if (source->has_failed) return false;
    if (wanted <= capacity) return true;
    capacity = capacity ? capacity : 1024;
    while (capacity < wanted)
        capacity *= 2;
    char *larger = tni_realloc(source->text, capacity);
    if (!larger) {
        source->has_failed = true;
        return false;
    }
    source->text = larger;
    source->capacity = capacity;
    return true;
}

void tni_source_add_bytes(tni_source *source, const char *text, size_t length) {
    if (!reserve(source, length)) return;
    memcpy(source->text + source->length, text, length);
    source->length += length;
    source->text[source->length] = '\0';
}

static void add(tni_source *source, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0 && reserve(source, (size_t)length)) {
        vsnprintf(source->text + source->length, (size_t)length + 1, format, again);
        source->length += (size_t)length;
    }
    va_end(again);
}

void tni_source_add(tni_source *source, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(source, format, arguments);
    va_end(arguments);
}

void tni_source_define(tni_source *source, const char *name, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tni_source_add(source, "#define %s", name);
    add(source, format, arguments);
    tni_source_add(source, "\n");
    if (source->ends) tni_source_add(source->ends, "#undef %s\n", name);
    va_end(arguments);
}

void tni_source_set_name(tni_source *source, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(source->name, sizeof source->name, format, arguments);
    va_end(arguments);
}

void tni_source_deinit(tni_source *source) {
    tni_free(source->text);
    *source = (tni_source){0};
}
