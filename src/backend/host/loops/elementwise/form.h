/* The forms: how a loop walks over its operands, once per signature.
 *
 * Decides: which layouts are worth code of their own (all contiguous; one side a scalar; else the
 * general walk), and that compilers may vectorise in spite of outputs that coincide with inputs.
 * A form is a macro that defines an always-inline function taking the operation as an argument;
 * a loop is that function with a body, which inlines. R is the type of results, A, B, C of
 * inputs. */
#ifndef TNI_BACKEND_HOST_LOOPS_FORM_H
#define TNI_BACKEND_HOST_LOOPS_FORM_H

#define INLINE static inline __attribute__((always_inline, unused))

/* No element written is read by a later iteration: exact overlap or none (loops.h). */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

#define AT(type, pointer, stride) (*(type *)((pointer) + i * (stride)))
#define READ(type, pointer, stride) (*(const type *)((pointer) + i * (stride)))
#define EACH for (int64_t i = 0; i < count; i++)

#define ARGUMENTS char *const *args, const int64_t *strides, int64_t count

#define FORM_1(form, R, A)                                                                         \
    INLINE void form(ARGUMENTS, R (*op)(A)) {                                                      \
        const char *a = args[0];                                                                   \
        char *r = args[1];                                                                         \
        int64_t sa = strides[0], sr = strides[1];                                                  \
        if (sa == sizeof(A) && sr == sizeof(R)) {                                                  \
            INDEPENDENT EACH((R *)r)[i] = op(((const A *)a)[i]);                                   \
        } else {                                                                                   \
            EACH AT(R, r, sr) = op(READ(A, a, sa));                                                \
        }                                                                                          \
    }

#define FORM_2(form, R, A, B)                                                                      \
    INLINE void form(ARGUMENTS, R (*op)(A, B)) {                                                   \
        const char *a = args[0], *b = args[1];                                                     \
        char *r = args[2];                                                                         \
        int64_t sa = strides[0], sb = strides[1], sr = strides[2];                                 \
        int accumulates = r == a + sa && sa != 0;                                                  \
        if (sr != sizeof(R) || accumulates) {                                                      \
            EACH AT(R, r, sr) = op(READ(A, a, sa), READ(B, b, sb));                                \
        } else if (sa == sizeof(A) && sb == sizeof(B)) {                                           \
            INDEPENDENT EACH((R *)r)[i] = op(((const A *)a)[i], ((const B *)b)[i]);                \
        } else if (sa == 0 && sb == sizeof(B)) {                                                   \
            const A x = *(const A *)a;                                                             \
            INDEPENDENT EACH((R *)r)[i] = op(x, ((const B *)b)[i]);                                \
        } else if (sa == sizeof(A) && sb == 0) {                                                   \
            const B x = *(const B *)b;                                                             \
            INDEPENDENT EACH((R *)r)[i] = op(((const A *)a)[i], x);                                \
        } else {                                                                                   \
            EACH((R *)r)[i] = op(READ(A, a, sa), READ(B, b, sb));                                  \
        }                                                                                          \
    }

/* As FORM_2 (here `plain`) where all types are R, which can reduce: the running value stays in a
 * register. */
#define FORM_2_REDUCING(form, plain, R)                                                            \
    FORM_2(plain, R, R, R)                                                                         \
    INLINE void form(ARGUMENTS, R (*op)(R, R)) {                                                   \
        if (strides[0] == 0 && strides[2] == 0) {                                                  \
            const char *b = args[1];                                                               \
            int64_t sb = strides[1];                                                               \
            R value = *(const R *)args[0];                                                         \
            EACH value = op(value, READ(R, b, sb));                                                \
            if (count > 0) *(R *)args[2] = value;                                                  \
        } else {                                                                                   \
            plain(args, strides, count, op);                                                       \
        }                                                                                          \
    }

/* The last two operands are often scalars: limits, or the branches of a choice. */
#define FORM_3(form, R, A, B, C)                                                                   \
    INLINE void form(ARGUMENTS, R (*op)(A, B, C)) {                                                \
        const char *a = args[0], *b = args[1], *c = args[2];                                       \
        char *r = args[3];                                                                         \
        int64_t sa = strides[0], sb = strides[1], sc = strides[2], sr = strides[3];                \
        int plain = sa == sizeof(A) && sr == sizeof(R);                                            \
        if (plain && sb == sizeof(B) && sc == sizeof(C)) {                                         \
            INDEPENDENT EACH((R *)r)[i] =                                                          \
                op(((const A *)a)[i], ((const B *)b)[i], ((const C *)c)[i]);                       \
        } else if (plain && sb == 0 && sc == 0) {                                                  \
            const B x = *(const B *)b;                                                             \
            const C y = *(const C *)c;                                                             \
            INDEPENDENT EACH((R *)r)[i] = op(((const A *)a)[i], x, y);                             \
        } else if (plain && sb == 0 && sc == sizeof(C)) {                                          \
            const B x = *(const B *)b;                                                             \
            INDEPENDENT EACH((R *)r)[i] = op(((const A *)a)[i], x, ((const C *)c)[i]);             \
        } else if (plain && sb == sizeof(B) && sc == 0) {                                          \
            const C y = *(const C *)c;                                                             \
            INDEPENDENT EACH((R *)r)[i] = op(((const A *)a)[i], ((const B *)b)[i], y);             \
        } else {                                                                                   \
            EACH AT(R, r, sr) = op(READ(A, a, sa), READ(B, b, sb), READ(C, c, sc));                \
        }                                                                                          \
    }

/* Four operands serve functions with parameters, which are scalars: c and d, and perhaps b. */
#define FORM_4(form, R, A)                                                                         \
    INLINE void form(ARGUMENTS, R (*op)(A, A, A, A)) {                                             \
        const char *a = args[0], *b = args[1], *c = args[2], *d = args[3];                         \
        char *r = args[4];                                                                         \
        int64_t sa = strides[0], sb = strides[1], sc = strides[2], sd = strides[3];                \
        int64_t sr = strides[4];                                                                   \
        if (sa == sizeof(A) && sr == sizeof(R) && sc == 0 && sd == 0 && sb == 0) {                 \
            const A x = *(const A *)b, y = *(const A *)c, z = *(const A *)d;                       \
            INDEPENDENT EACH((R *)r)[i] = op(((const A *)a)[i], x, y, z);                          \
        } else if (sa == sizeof(A) && sr == sizeof(R) && sc == 0 && sd == 0 && sb == sizeof(A)) {  \
            const A y = *(const A *)c, z = *(const A *)d;                                          \
            INDEPENDENT EACH((R *)r)[i] = op(((const A *)a)[i], ((const A *)b)[i], y, z);          \
        } else {                                                                                   \
            EACH AT(R, r, sr) =                                                                    \
                op(READ(A, a, sa), READ(A, b, sb), READ(A, c, sc), READ(A, d, sd));                \
        }                                                                                          \
    }

/* Two results. They may each coincide with an input, so both are computed before one is written. */
#define FORM_1_2(form, R, Q, A)                                                                    \
    INLINE void form(ARGUMENTS, R (*op)(A), Q (*second)(A)) {                                      \
        const char *a = args[0];                                                                   \
        char *r = args[1], *q = args[2];                                                           \
        int64_t sa = strides[0], sr = strides[1], sq = strides[2];                                 \
        if (sa == sizeof(A) && sr == sizeof(R) && sq == sizeof(Q)) {                               \
            INDEPENDENT EACH {                                                                     \
                A x = ((const A *)a)[i];                                                           \
                ((R *)r)[i] = op(x);                                                               \
                ((Q *)q)[i] = second(x);                                                           \
            }                                                                                      \
        } else {                                                                                   \
            EACH {                                                                                 \
                A x = READ(A, a, sa);                                                              \
                AT(R, r, sr) = op(x);                                                              \
                AT(Q, q, sq) = second(x);                                                          \
            }                                                                                      \
        }                                                                                          \
    }

#define FORM_2_2(form, R, A)                                                                       \
    INLINE void form(ARGUMENTS, R (*op)(A, A), R (*second)(A, A)) {                                \
        const char *a = args[0], *b = args[1];                                                     \
        char *r = args[2], *q = args[3];                                                           \
        int64_t sa = strides[0], sb = strides[1], sr = strides[2], sq = strides[3];                \
        if (sa == sizeof(A) && sb == sizeof(A) && sr == sizeof(R) && sq == sizeof(R)) {            \
            INDEPENDENT EACH {                                                                     \
                A x = ((const A *)a)[i], y = ((const A *)b)[i];                                    \
                ((R *)r)[i] = op(x, y);                                                            \
                ((R *)q)[i] = second(x, y);                                                        \
            }                                                                                      \
        } else {                                                                                   \
            EACH {                                                                                 \
                A x = READ(A, a, sa), y = READ(A, b, sb);                                          \
                AT(R, r, sr) = op(x, y);                                                           \
                AT(R, q, sq) = second(x, y);                                                       \
            }                                                                                      \
        }                                                                                          \
    }

#endif
