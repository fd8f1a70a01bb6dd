/* The oldest versions of glibc's functions, bound in every file of the build (meson.build gives
 * this header to the compiler), so that what is built here runs on glibc 2.28, whichever one it was
 * built on. The versions listed do the same as the newest ones: functions of threads and libraries
 * moved into libc.so in 2.34, mathematics lost the calls of matherr() in 2.29, 2.35, 2.38 and 2.43.
 * Numbers are read by the functions of C11: since 2.38 headers name those of C23, which also read
 * "0b1".
 *
 * Functions that no older glibc has must not be called; `make test-wheel` finds them. */
#ifndef TNI_GLIBC_H
#define TNI_GLIBC_H

#ifdef __x86_64__
#define TNI_FIRST "GLIBC_2.2.5"
#define TNI_LATER "GLIBC_2.3.3" /* for functions that came after the first version */
#define TNI_SCANF "GLIBC_2.7"
#else /* AArch64 */
#define TNI_FIRST "GLIBC_2.17"
#define TNI_LATER "GLIBC_2.17"
#define TNI_SCANF "GLIBC_2.17"
#endif
#define TNI_BIND_AS(function, old, version) __asm__(".symver " #function ", " #old "@" version)
#define TNI_BIND(function, version) TNI_BIND_AS(function, function, version)

TNI_BIND_AS(__isoc23_fscanf, __isoc99_fscanf, TNI_SCANF);
TNI_BIND_AS(__isoc23_sscanf, __isoc99_sscanf, TNI_SCANF);
TNI_BIND_AS(__isoc23_strtol, strtol, TNI_FIRST);
TNI_BIND_AS(__isoc23_strtoll, strtoll, TNI_FIRST);
TNI_BIND_AS(__isoc23_strtoul, strtoul, TNI_FIRST);
TNI_BIND_AS(__isoc23_strtoull, strtoull, TNI_FIRST);
TNI_BIND(acosf, TNI_FIRST);
TNI_BIND(acoshf, TNI_FIRST);
TNI_BIND(asinf, TNI_FIRST);
TNI_BIND(atan2f, TNI_FIRST);
TNI_BIND(atanhf, TNI_FIRST);
TNI_BIND(coshf, TNI_FIRST);
TNI_BIND(dladdr, TNI_FIRST);
TNI_BIND(dladdr1, TNI_LATER);
TNI_BIND(dlclose, TNI_FIRST);
TNI_BIND(dlerror, TNI_FIRST);
TNI_BIND(dlinfo, TNI_LATER);
TNI_BIND(dlopen, TNI_FIRST);
TNI_BIND(dlsym, TNI_FIRST);
TNI_BIND(exp, TNI_FIRST);
TNI_BIND(exp10, TNI_FIRST);
TNI_BIND(exp10f, TNI_FIRST);
TNI_BIND(exp2, TNI_FIRST);
TNI_BIND(fmod, TNI_FIRST);
TNI_BIND(fmodf, TNI_FIRST);
TNI_BIND(hypot, TNI_FIRST);
TNI_BIND(hypotf, TNI_FIRST);
TNI_BIND(lgammaf, "GLIBC_2.23");
TNI_BIND(log, TNI_FIRST);
TNI_BIND(log10f, TNI_FIRST);
TNI_BIND(log2, TNI_FIRST);
TNI_BIND(pow, TNI_FIRST);
TNI_BIND(pthread_create, TNI_FIRST);
TNI_BIND(pthread_join, TNI_FIRST);
TNI_BIND(pthread_key_create, TNI_FIRST);
TNI_BIND(pthread_mutex_trylock, TNI_FIRST);
TNI_BIND(pthread_once, TNI_FIRST);
TNI_BIND(pthread_setspecific, TNI_FIRST);
TNI_BIND(pthread_sigmask, TNI_FIRST);
TNI_BIND(remainder, TNI_FIRST);
TNI_BIND(remainderf, TNI_FIRST);
TNI_BIND(sinhf, TNI_FIRST);
TNI_BIND(tgammaf, TNI_FIRST);

#undef TNI_BIND
#undef TNI_BIND_AS

#endif
