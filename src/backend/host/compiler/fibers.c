/* Fibers: a stack each, and a switch of a few instructions.
 *
 * The switch saves what the processor's calling convention lets a function keep, and is 20 times as
 * fast as swapcontext(), which asks the kernel for the signal mask; a barrier of 256 threads is 256
 * switches. Other processors than the two that are written out here have swapcontext(). A stack has
 * room for the 512 KiB of local memory that a thread of CUDA may have. The pages at its end can't
 * be touched, so that an overflow ends in a fault: kernels touch each page of large frames
 * in turn (-fstack-clash-protection). Pages that no thread has reached cost nothing. */
#include "backend/host/compiler/fibers.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_THREAD__)
#define TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TSAN 1
#endif
#endif
#ifdef TSAN
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void *__tsan_get_current_fiber(void);
#endif

/* An odd number of pages, so that the tables of pages of many stacks don't meet in the cache. */
enum { STACK_BYTES = 1092 << 10, GUARD_BYTES = 64 << 10, COLOURS = 204, COLOUR_BYTES = 320 };

bool tni_fiber_init(tni_fiber *fiber, unsigned number) {
    void *memory = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    mprotect(memory, GUARD_BYTES, PROT_NONE); /* fails where a process has too many mappings */
    memset(fiber, 0, sizeof *fiber);
    fiber->memory = memory;
    fiber->top = (char *)memory + STACK_BYTES - (size_t)(number % COLOURS) * COLOUR_BYTES;
#ifdef TSAN
    fiber->sanitizer = __tsan_create_fiber(0);
#endif
    return true;
}

void tni_fiber_deinit(tni_fiber *fiber) {
#ifdef TSAN
    __tsan_destroy_fiber(fiber->sanitizer);
#endif
    munmap(fiber->memory, STACK_BYTES);
}

static void begin(tni_fiber *fiber) __attribute__((noreturn, used));
static void begin(tni_fiber *fiber) {
    fiber->body(fiber->context);
    __builtin_trap(); /* a body never returns */
}

#if defined(__x86_64__)

/* Leaves the registers that a call keeps on the old stack. The modes of floating-point numbers are
 * the thread's: kernels do not change them. */
void tni_fiber_change(void **from, void *to);
__asm__(".text\n"
        ".p2align 4\n"
        ".hidden tni_fiber_change\n"
        ".globl tni_fiber_change\n"
        ".type tni_fiber_change, @function\n"
        "tni_fiber_change:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  retq\n"
        ".size tni_fiber_change, . - tni_fiber_change\n"
        ".hidden tni_fiber_first\n"
        ".globl tni_fiber_first\n"
        ".type tni_fiber_first, @function\n"
        "tni_fiber_first:\n"
        "  movq %r12, %rdi\n"
        "  xorl %ebp, %ebp\n"
        "  jmpq *%r13\n"
        ".size tni_fiber_first, . - tni_fiber_first\n");
void tni_fiber_first(void);

/* The words that the first change pops: r15 .. rbp, the address to go to, and one that makes the
 * stack as a call would leave it. */
static void *lay_out(char *top, tni_fiber *fiber) {
    uint64_t *at = (uint64_t *)((uintptr_t)top & ~(uintptr_t)15) - 8;
    memset(at, 0, 8 * sizeof *at);
    at[2] = (uint64_t)(uintptr_t)begin; /* r13 */
    at[3] = (uint64_t)(uintptr_t)fiber; /* r12 */
    at[6] = (uint64_t)(uintptr_t)tni_fiber_first;
    return at;
}

#elif defined(__aarch64__)

void tni_fiber_change(void **from, void *to);
__asm__(".text\n"
        ".p2align 4\n"
        ".hidden tni_fiber_change\n"
        ".globl tni_fiber_change\n"
        ".type tni_fiber_change, %function\n"
        "tni_fiber_change:\n"
        "  sub sp, sp, #176\n"
        "  stp x19, x20, [sp]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n"
        "  stp x25, x26, [sp, #48]\n  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
        "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n"
        "  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
        "  mov x9, sp\n  str x9, [x0]\n  mov sp, x1\n"
        "  ldp x19, x20, [sp]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n"
        "  ldp x25, x26, [sp, #48]\n  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
        "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n"
        "  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
        "  add sp, sp, #176\n"
        "  ret\n"
        ".size tni_fiber_change, . - tni_fiber_change\n"
        ".hidden tni_fiber_first\n"
        ".globl tni_fiber_first\n"
        ".type tni_fiber_first, %function\n"
        "tni_fiber_first:\n"
        "  mov x0, x19\n"
        "  mov x29, xzr\n"
        "  br x20\n"
        ".size tni_fiber_first, . - tni_fiber_first\n");
void tni_fiber_first(void);

static void *lay_out(char *top, tni_fiber *fiber) {
    uint64_t *at = (uint64_t *)((uintptr_t)top & ~(uintptr_t)15) - 22;
    memset(at, 0, 22 * sizeof *at);
    at[0] = (uint64_t)(uintptr_t)fiber;            /* x19 */
    at[1] = (uint64_t)(uintptr_t)begin;            /* x20 */
    at[11] = (uint64_t)(uintptr_t)tni_fiber_first; /* x30 */
    return at;
}

#endif

#if defined(__x86_64__) || defined(__aarch64__)

void tni_fiber_prepare(tni_fiber *fiber, void (*body)(void *context), void *context) {
    fiber->body = body;
    fiber->context = context;
    fiber->stack = lay_out(fiber->top, fiber);
}

void tni_fiber_switch(tni_fiber *from, tni_fiber *to) {
#ifdef TSAN
    from->sanitizer = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to->sanitizer, 0);
#endif
    tni_fiber_change(&from->stack, to->stack);
}

#else

#include <ucontext.h>

/* The context lies at the top of the stack, or of its own for the thread's fiber. */
static _Thread_local ucontext_t own;

static ucontext_t *context_of(tni_fiber *fiber) {
    return fiber->memory ? (ucontext_t *)(uintptr_t)fiber->stack : &own;
}

static void begin_halves(unsigned high, unsigned low) {
    begin((tni_fiber *)(uintptr_t)((uint64_t)high << 32 | low));
}

void tni_fiber_prepare(tni_fiber *fiber, void (*body)(void *context), void *context) {
    size_t room = (size_t)(fiber->top - fiber->memory) - sizeof(ucontext_t) - 64;
    fiber->body = body;
    fiber->context = context;
    fiber->stack = (char *)((uintptr_t)(fiber->memory + room) & ~(uintptr_t)63);
    ucontext_t *made = context_of(fiber);
    getcontext(made);
    made->uc_stack.ss_sp = fiber->memory + GUARD_BYTES;
    made->uc_stack.ss_size = room - GUARD_BYTES;
    made->uc_link = NULL;
    uint64_t address = (uintptr_t)fiber;
    makecontext(made, (void (*)(void))begin_halves, 2, (unsigned)(address >> 32),
                (unsigned)address);
}

void tni_fiber_switch(tni_fiber *from, tni_fiber *to) {
    swapcontext(context_of(from), context_of(to));
}

#endif
