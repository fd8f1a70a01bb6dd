// Textures and surfaces: memory that is fetched by coordinates, as the CUDA programming guide has
// it. A handle is the address of a tni_texture, which tenorite.cuda makes.
//
// Fetches of one, two or three dimensions are here, of points and with linear filtering, whose
// weights have eight binary digits. Layers, cubes and levels of detail are refused by name.
typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
enum cudaSurfaceBoundaryMode {
    cudaBoundaryModeZero,
    cudaBoundaryModeClamp,
    cudaBoundaryModeTrap,
};

struct tni_texture {
    char *data;
    long long size[3];  // elements along x, y and z; 1 where there is no such axis
    long long steps[2]; // bytes from row to row and from plane to plane
    int bits, kind, channels;
    int address[3]; // 0 wrap, 1 clamp, 2 mirror, 3 border
    int is_linear, is_normalized_read, has_normalized_places;
    float border[4];
};

namespace tni_textures {

// The numbers that an element is made of.
template <class T> T &&any();
template <class... A> struct voided { typedef void type; };
template <class T, class = void> struct parts {
    typedef T of;
    static T &at(T &value, int) { return value; }
    enum { count = 1 };
};
template <class T> struct parts<T, typename voided<decltype(T::x)>::type> {
    typedef decltype(T::x) of;
    static of &at(T &value, int k) { return (&value.x)[k]; }
    enum { count = sizeof(T) / sizeof(of) };
};

static inline const tni_texture &texture_of(unsigned long long handle) {
    return *(const tni_texture *)handle;
}

// The place of an element along an axis, -1: outside.
static inline long long place(const tni_texture &t, int axis, long long i) {
    long long n = t.size[axis];
    if (i >= 0 && i < n) return i;
    int mode = t.address[axis];
    if (mode == 3) return -1;
    if (mode == 0 && t.has_normalized_places) return (i % n + n) % n;
    if (mode == 2 && t.has_normalized_places) {
        long long twice = (i % (2 * n) + 2 * n) % (2 * n);
        return twice < n ? twice : 2 * n - 1 - twice;
    }
    return i < 0 ? 0 : n - 1;
}

static inline char *element(const tni_texture &t, long long x, long long y, long long z) {
    return t.data + z * t.steps[1] + y * t.steps[0] + x * (t.bits / 8 * t.channels);
}

static inline float share(double value, double most) {
    value /= most;
    return (float)(value < -1.0 ? -1.0 : value);
}

// One number of an element, as C: float where that is read of whole numbers.
template <class C> static inline C number(const tni_texture &t, const char *at, int k) {
    double most = (double)((1ull << (t.bits - (t.kind == 0))) - 1);
    if (t.kind == 2) {
        if (t.bits == 16) return (C)tni::half_to_float(((const unsigned short *)at)[k]);
        return (C)((const float *)at)[k];
    }
    long long whole = 0;
    __builtin_memcpy(&whole, at + k * (t.bits / 8), t.bits / 8); // little-endian
    if (t.kind == 0) whole = whole << (64 - t.bits) >> (64 - t.bits);
    return t.is_normalized_read ? (C)share((double)whole, most) : (C)whole;
}

template <class C>
static inline C at_place(const tni_texture &t, int k, long long x, long long y, long long z) {
    x = place(t, 0, x);
    y = place(t, 1, y);
    z = place(t, 2, z);
    if (x < 0 || y < 0 || z < 0) return (C)t.border[k];
    return number<C>(t, element(t, x, y, z), k);
}

static inline double whole_of(double x) {
    x = x > -1e15 ? x : -1e15; // what is no number is the least
    x = x < 1e15 ? x : 1e15;
    return __builtin_floor(x);
}

// Along an axis: the two neighbours' first, and the second one's weight.
struct between {
    long long first;
    float weight;
};
static inline between between_of(double x) {
    double first = whole_of(x - 0.5);
    double rest = x - 0.5 - first;
    float weight = (float)(__builtin_floor((rest > 0 && rest < 1 ? rest : 0) * 256 + 0.5) / 256);
    return {(long long)first, weight};
}

template <class T> static inline T fetch(unsigned long long handle, const float *where, int axes) {
    const tni_texture &t = texture_of(handle);
    typedef typename parts<T>::of C;
    double at[3] = {0, 0, 0};
    long long first[3] = {0, 0, 0};
    between near[3] = {};
    T result = {};
    for (int axis = 0; axis < axes; axis++) {
        at[axis] = (double)where[axis] * (t.has_normalized_places ? (double)t.size[axis] : 1.0);
        first[axis] = (long long)whole_of(at[axis]);
        if (t.is_linear) near[axis] = between_of(at[axis]);
    }
    for (int k = 0; k < parts<T>::count && k < t.channels; k++) {
        if (!t.is_linear) {
            parts<T>::at(result, k) = at_place<C>(t, k, first[0], first[1], first[2]);
            continue;
        }
        float sum = 0;
        for (int corner = 0; corner < 1 << axes; corner++) {
            float weight = 1;
            long long p[3] = {0, 0, 0};
            for (int axis = 0; axis < axes; axis++) {
                bool second = corner >> axis & 1;
                weight *= second ? near[axis].weight : 1 - near[axis].weight;
                p[axis] = near[axis].first + second;
            }
            if (weight != 0) sum += weight * at_place<float>(t, k, p[0], p[1], p[2]);
        }
        parts<T>::at(result, k) = (C)sum;
    }
    return result;
}

// Of a surface: whether the place is inside, and the place in elements; x comes in bytes.
static inline bool surface_place(const tni_texture &t, long long *p, int mode) {
    p[0] /= t.bits / 8 * t.channels;
    bool inside = true;
    for (int axis = 0; axis < 3; axis++) {
        if (p[axis] >= 0 && p[axis] < t.size[axis]) continue;
        inside = false;
        if (mode == cudaBoundaryModeClamp) p[axis] = p[axis] < 0 ? 0 : t.size[axis] - 1;
    }
    if (!inside && mode == cudaBoundaryModeTrap) TNI_FAIL(TNI_FAIL_SURFACE, "a surface");
    return inside || mode == cudaBoundaryModeClamp;
}

template <class T>
static inline void surface_read(T *to, unsigned long long handle, long long x, long long y,
                                long long z, int mode) {
    long long p[3] = {x, y, z};
    const tni_texture &t = texture_of(handle);
    if (surface_place(t, p, mode))
        __builtin_memcpy(to, element(t, p[0], p[1], p[2]), sizeof(T));
    else
        *to = T();
}

template <class T>
static inline void surface_write(const T &value, unsigned long long handle, long long x,
                                 long long y, long long z, int mode) {
    long long p[3] = {x, y, z};
    const tni_texture &t = texture_of(handle);
    if (surface_place(t, p, mode))
        __builtin_memcpy(element(t, p[0], p[1], p[2]), &value, sizeof(T));
}

} // namespace tni_textures

// Each fetch gives its result, or writes it to the address that comes first.
#define TNI_FETCH(name, axes, where, ...)                                                          \
    template <class T> static inline T name(cudaTextureObject_t texture, __VA_ARGS__) {            \
        float places[] = {TNI_PLACES where};                                                       \
        return tni_textures::fetch<T>(texture, places, axes);                                      \
    }                                                                                              \
    template <class T> static inline void name(T *to, cudaTextureObject_t texture, __VA_ARGS__) {  \
        float places[] = {TNI_PLACES where};                                                       \
        *to = tni_textures::fetch<T>(texture, places, axes);                                       \
    }
#define TNI_PLACES(...) __VA_ARGS__
TNI_FETCH(tex1D, 1, (x), float x)
TNI_FETCH(tex2D, 2, (x, y), float x, float y)
TNI_FETCH(tex3D, 3, (x, y, z), float x, float y, float z)
#undef TNI_FETCH
#undef TNI_PLACES

// Elements by their numbers; what is outside is zero.
template <class T> static inline T tex1Dfetch(cudaTextureObject_t texture, int x) {
    const tni_texture &t = tni_textures::texture_of(texture);
    typedef tni_textures::parts<T> parts;
    T result = {};
    if (x < 0 || x >= t.size[0]) return result;
    const char *at = tni_textures::element(t, x, 0, 0);
    for (int k = 0; k < parts::count && k < t.channels; k++)
        parts::at(result, k) = tni_textures::number<typename parts::of>(t, at, k);
    return result;
}
template <class T> static inline void tex1Dfetch(T *to, cudaTextureObject_t texture, int x) {
    *to = tex1Dfetch<T>(texture, x);
}

#define TNI_SURFACE(axes, y, z, ...)                                                               \
    template <class T>                                                                             \
    static inline T surf##axes##read(cudaSurfaceObject_t surface, __VA_ARGS__,                     \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {        \
        T value;                                                                                   \
        tni_textures::surface_read(&value, surface, x, y, z, mode);                                \
        return value;                                                                              \
    }                                                                                              \
    template <class T>                                                                             \
    static inline void surf##axes##read(T *to, cudaSurfaceObject_t surface, __VA_ARGS__,           \
                                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {     \
        tni_textures::surface_read(to, surface, x, y, z, mode);                                    \
    }                                                                                              \
    template <class T>                                                                             \
    static inline void surf##axes##write(T value, cudaSurfaceObject_t surface, __VA_ARGS__,        \
                                         cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {    \
        tni_textures::surface_write(value, surface, x, y, z, mode);                                \
    }
TNI_SURFACE(1D, 0, 0, int x)
TNI_SURFACE(2D, y, 0, int x, int y)
TNI_SURFACE(3D, y, z, int x, int y, int z)
#undef TNI_SURFACE

// Refused by name.
#define TNI_TEXTURE(name)                                                                          \
    template <class T, class... A> static inline T name(A...) {                                    \
        static_assert(sizeof(T) == 0, #name " can't run on the host");                             \
    }
TNI_TEXTURE(tex1DLayered)
TNI_TEXTURE(tex2DLayered)
TNI_TEXTURE(texCubemap)
TNI_TEXTURE(tex1DLod)
TNI_TEXTURE(tex2DLod)
TNI_TEXTURE(tex3DLod)
TNI_TEXTURE(tex1DGrad)
TNI_TEXTURE(tex2DGrad)
TNI_TEXTURE(tex3DGrad)
TNI_TEXTURE(tex2Dgather)
#undef TNI_TEXTURE
