/* A GPU ends a kernel that fails, and the program hears of it; a processor raises a signal, which
 * ends the program. So signals that a thread raises while it runs a kernel end the kernel alone.
 *
 * A handler is the whole process's, and others may have been there before: Python's faulthandler, a
 * sanitizer's, a program's own. What no kernel raised is handed to them, with their masks as they
 * were; where there was none the signal's own action is put back, and the instruction that failed
 * runs again. Nothing is installed before the first kernel runs. */
#include "backend/host/compiler/faults.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static const int signals[] = {
    SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT,
#if !defined(__x86_64__)
    SIGTRAP /* what __builtin_trap() raises there */
#endif
};
enum { COUNT = sizeof signals / sizeof *signals };

static struct sigaction before[COUNT];
static void (*taker)(const tni_fault *fault);

/* Not if another process, or another place of this one, has sent it. */
static bool is_own(const siginfo_t *facts) {
    return facts->si_signo == SIGABRT ? facts->si_pid == getpid() : facts->si_code > 0;
}

static void hand_on(const struct sigaction *to, int signal, siginfo_t *facts, void *context) {
    if (to->sa_flags & SA_SIGINFO) {
        to->sa_sigaction(signal, facts, context);
    } else if (to->sa_handler != SIG_DFL && to->sa_handler != SIG_IGN) {
        to->sa_handler(signal);
    } else {
        sigaction(signal, to, NULL);
        if (facts->si_code <= 0) raise(signal); /* no instruction raises it again */
    }
}

static uintptr_t stack_of(const ucontext_t *context) {
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext.sp;
#else
    (void)context;
    return 0;
#endif
}

static void handle(int signal, siginfo_t *facts, void *context) {
    if (is_own(facts)) {
        tni_fault fault = {signal, (uintptr_t)facts->si_addr, stack_of(context), context};
        taker(&fault);
    }
    for (int k = 0; k < COUNT; k++)
        if (signals[k] == signal) hand_on(&before[k], signal, facts, context);
}

static void install(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (int k = 0; k < COUNT; k++)
        sigaction(signals[k], NULL, &before[k]); /* each is known before the first is replaced */
    for (int k = 0; k < COUNT; k++)
        sigaction(signals[k], &action, NULL);
}

void tni_faults_watch(void (*stop)(const tni_fault *fault)) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    taker = stop;
    pthread_once(&once, install);
}

void tni_fault_leave(const tni_fault *fault) {
    const ucontext_t *context = fault->context;
    pthread_sigmask(SIG_SETMASK, &context->uc_sigmask, NULL);
}

/* A signal that is blocked when an instruction raises it ends the process, and some threads are
 * made with all of them blocked. */
void tni_faults_open(char *stack, size_t bytes) {
    stack_t present, own = {.ss_sp = stack, .ss_size = bytes};
    sigset_t raised;
    sigemptyset(&raised);
    for (int k = 0; k < COUNT; k++)
        sigaddset(&raised, signals[k]);
    pthread_sigmask(SIG_UNBLOCK, &raised, NULL);
    if (sigaltstack(NULL, &present) == 0 && present.ss_flags & SS_DISABLE) sigaltstack(&own, NULL);
}

void tni_faults_close(const char *stack) {
    stack_t present, none = {.ss_flags = SS_DISABLE};
    if (sigaltstack(NULL, &present) == 0 && present.ss_sp == stack) sigaltstack(&none, NULL);
}
