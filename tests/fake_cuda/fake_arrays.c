/* Arrays for textures, textures, surfaces and linking: functions that tenorite.cuda calls by their
 * names, and which driver.fn has not. An array is memory of the host, row after row. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

typedef struct array_facts {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
} array_facts;

typedef struct fake_array {
    array_facts facts;
    size_t row_bytes, rows;
    char *data;
} fake_array;

/* CUDA_MEMCPY3D. */
typedef struct place {
    size_t x_bytes, y, z, level;
    int type;
    void *host;
    CUdeviceptr device;
    fake_array *array;
    void *reserved;
    size_t pitch, height;
} place;
typedef struct copy_3d {
    place from, to;
    size_t width_bytes, height, depth;
} copy_3d;

enum { LIVING_MAX = 64, ARRAY_TYPE = 3 };
static void *living[LIVING_MAX]; /* arrays, textures, surfaces, linkings */

static void *keep(void *made) {
    for (int k = 0; k < LIVING_MAX; k++) {
        if (living[k]) continue;
        living[k] = made;
        return made;
    }
    abort();
}

static bool is_living(const void *object) {
    for (int k = 0; k < LIVING_MAX; k++)
        if (object && living[k] == object) return true;
    return false;
}

static CUresult forget(void *object) {
    for (int k = 0; k < LIVING_MAX; k++)
        if (object && living[k] == object) {
            living[k] = NULL;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_HANDLE;
}

/* Bytes of a number of a CUarray_format; 0: there is none. */
static size_t format_bytes(int format) {
    switch (format) {
    case 1:
    case 8: return 1;
    case 2:
    case 9:
    case 16: return 2;
    case 3:
    case 10:
    case 32: return 4;
    default: return 0;
    }
}

FAKE_API CUresult cuArray3DCreate_v2(fake_array **array, const array_facts *facts);
CUresult cuArray3DCreate_v2(fake_array **array, const array_facts *facts) {
    size_t element = format_bytes(facts->format) * facts->channels;
    bool is_even = facts->channels == 1 || facts->channels == 2 || facts->channels == 4;
    if (!fake_current()) return CUDA_ERROR_INVALID_CONTEXT;
    if (!element || !is_even || !facts->width) return CUDA_ERROR_INVALID_VALUE;
    fake_array *made = calloc(1, sizeof *made);
    made->facts = *facts;
    made->row_bytes = facts->width * element;
    made->rows = (facts->height ? facts->height : 1) * (facts->depth ? facts->depth : 1);
    made->data = calloc(made->rows, made->row_bytes);
    *array = keep(made);
    return CUDA_SUCCESS;
}

FAKE_API CUresult cuArray3DGetDescriptor_v2(array_facts *facts, const fake_array *array);
CUresult cuArray3DGetDescriptor_v2(array_facts *facts, const fake_array *array) {
    if (!is_living(array)) return CUDA_ERROR_INVALID_HANDLE;
    *facts = array->facts;
    return CUDA_SUCCESS;
}

FAKE_API CUresult cuArrayDestroy(fake_array *array);
CUresult cuArrayDestroy(fake_array *array) {
    CUresult result = forget(array);
    if (result) return result;
    free(array->data);
    free(array);
    return CUDA_SUCCESS;
}

/* The address of a row, 0: it is outside. */
static CUdeviceptr row_of(const place *place, size_t y, size_t z, size_t bytes) {
    size_t height = place->height;
    if (place->type == ARRAY_TYPE) {
        const fake_array *array = place->array;
        height = array->facts.height ? array->facts.height : 1;
        size_t row = (place->z + z) * height + place->y + y;
        if (!is_living(array) || row >= array->rows || place->x_bytes + bytes > array->row_bytes)
            return 0;
        return (CUdeviceptr)(uintptr_t)(array->data + row * array->row_bytes + place->x_bytes);
    }
    CUdeviceptr base =
        place->type == CU_MEMORYTYPE_HOST ? (CUdeviceptr)(uintptr_t)place->host : place->device;
    return base + ((place->z + z) * height + place->y + y) * place->pitch + place->x_bytes;
}

FAKE_API CUresult cuMemcpy3DAsync_v2(const copy_3d *copy, CUstream stream);
CUresult cuMemcpy3DAsync_v2(const copy_3d *copy, CUstream stream) {
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++) {
            CUdeviceptr to = row_of(&copy->to, y, z, copy->width_bytes);
            CUdeviceptr from = row_of(&copy->from, y, z, copy->width_bytes);
            if (!to || !from) return CUDA_ERROR_INVALID_VALUE;
            CUresult result = fake_cuMemcpyAsync(to, from, copy->width_bytes, stream);
            if (result) return result;
        }
    return CUDA_SUCCESS;
}

/* CUDA_RESOURCE_DESC, as far as it is looked at. */
typedef struct resource {
    int type;
    union {
        fake_array *array;
        CUdeviceptr address;
    } of;
} resource;

static CUresult make_object(unsigned long long *object, const resource *resource) {
    if (!fake_current()) return CUDA_ERROR_INVALID_CONTEXT;
    bool is_valid = resource->type == 0 ? is_living(resource->of.array)
                                        : fake_is_valid(resource->of.address, 1);
    if (!is_valid) return CUDA_ERROR_INVALID_VALUE;
    *object = (unsigned long long)(uintptr_t)keep(malloc(1));
    return CUDA_SUCCESS;
}

static CUresult end_object(unsigned long long object) {
    CUresult result = forget((void *)(uintptr_t)object);
    if (!result) free((void *)(uintptr_t)object);
    return result;
}

FAKE_API CUresult cuTexObjectCreate(unsigned long long *object, const resource *resource,
                                    const void *texture, const void *view);
CUresult cuTexObjectCreate(unsigned long long *object, const resource *resource,
                           const void *texture, const void *view) {
    return !texture || view ? CUDA_ERROR_INVALID_VALUE : make_object(object, resource);
}
FAKE_API CUresult cuTexObjectDestroy(unsigned long long object);
CUresult cuTexObjectDestroy(unsigned long long object) {
    return end_object(object);
}
FAKE_API CUresult cuSurfObjectCreate(unsigned long long *object, const resource *resource);
CUresult cuSurfObjectCreate(unsigned long long *object, const resource *resource) {
    return resource->type ? CUDA_ERROR_INVALID_VALUE : make_object(object, resource);
}
FAKE_API CUresult cuSurfObjectDestroy(unsigned long long object);
CUresult cuSurfObjectDestroy(unsigned long long object) {
    return end_object(object);
}

/* --- Linking: the image is what was added, one after the other --- */

typedef struct linking {
    char *image;
    size_t bytes;
} linking;

FAKE_API CUresult cuLinkCreate_v2(unsigned count, void *options, void **values, linking **state);
CUresult cuLinkCreate_v2(unsigned count, void *options, void **values, linking **state) {
    (void)options, (void)values;
    if (count || !fake_current()) return CUDA_ERROR_INVALID_VALUE;
    *state = keep(calloc(1, sizeof **state));
    return CUDA_SUCCESS;
}

FAKE_API CUresult cuLinkAddData_v2(linking *state, int type, void *data, size_t bytes,
                                   const char *name, unsigned count, void *options, void **values);
CUresult cuLinkAddData_v2(linking *state, int type, void *data, size_t bytes, const char *name,
                          unsigned count, void *options, void **values) {
    (void)options, (void)values;
    if (!is_living(state)) return CUDA_ERROR_INVALID_HANDLE;
    if (count || type < 0 || type > 5 || !name || !bytes) return CUDA_ERROR_INVALID_VALUE;
    state->image = realloc(state->image, state->bytes + bytes);
    memcpy(state->image + state->bytes, data, bytes);
    state->bytes += bytes;
    return CUDA_SUCCESS;
}

FAKE_API CUresult cuLinkComplete(linking *state, void **image, size_t *bytes);
CUresult cuLinkComplete(linking *state, void **image, size_t *bytes) {
    if (!is_living(state)) return CUDA_ERROR_INVALID_HANDLE;
    *image = state->image;
    *bytes = state->bytes;
    return CUDA_SUCCESS;
}

FAKE_API CUresult cuLinkDestroy(linking *state);
CUresult cuLinkDestroy(linking *state) {
    CUresult result = forget(state);
    if (result) return result;
    free(state->image);
    free(state);
    return CUDA_SUCCESS;
}
