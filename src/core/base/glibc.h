/* The oldest versions of glibc's functions, bound in every file of the build (meson.build gives
 * this header to the compiler), so that what is built here runs on glibc 2.28, whichever one it was
 * built on. The versions listed do the same as the newest ones: functions of threads and libraries
 * moved into libc.so in 2.34, mathematics lost the calls of matherr() in 2.29 and 2.35.
 *
 * Functions that no older glibc has must not be called; `make test-wheel` finds them. */
#ifndef TNI_GLIBC_H
#define TNI_GLIBC_H

#ifdef __x86_64__
#define TNI_FIRST "GLIBC_2.2.5"
#define TNI_LATER "GLIBC_2.3.3" /* for functions that came after the first version */
#else                           /* AArch64 */
#define TNI_FIRST "GLIBC_2.17"
#define TNI_LATER "GLIBC_2.17"
#endif
#define TNI_BIND(function, version) __asm__(".symver " #function ", " #function "@" version)

TNI_BIND(dladdr, TNI_FIRST);
TNI_BIND(dladdr1, TNI_LATER);
TNI_BIND(dlclose, TNI_FIRST);
TNI_BIND(dlerror, TNI_FIRST);
TNI_BIND(dlinfo, TNI_LATER);
TNI_BIND(dlopen, TNI_FIRST);
TNI_BIND(dlsym, TNI_FIRST);
TNI_BIND(exp, TNI_FIRST);
TNI_BIND(exp2, TNI_FIRST);
TNI_BIND(hypot, TNI_FIRST);
TNI_BIND(hypotf, TNI_FIRST);
TNI_BIND(log, TNI_FIRST);
TNI_BIND(log2, TNI_FIRST);
TNI_BIND(pow, TNI_FIRST);
TNI_BIND(pthread_create, TNI_FIRST);
TNI_BIND(pthread_join, TNI_FIRST);
TNI_BIND(pthread_key_create, TNI_FIRST);
TNI_BIND(pthread_mutex_trylock, TNI_FIRST);
TNI_BIND(pthread_once, TNI_FIRST);
TNI_BIND(pthread_setspecific, TNI_FIRST);
TNI_BIND(pthread_sigmask, TNI_FIRST);

#undef TNI_BIND

#endif
