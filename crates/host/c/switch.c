/* How is one stack left for another?
 *
 * opcost__switch keeps the registers that a call must keep (also how floating
 * point rounds) on the stack that it leaves, notes that stack, and goes on
 * with another that was left like this. opcost__jump does the second half
 * alone: from a signal handler back to the host. Nothing else is shared, so a
 * switch costs about as much as two calls; the signal mask stays as it is.
 *
 * At every instruction the stack pointer alone says who runs: the signal handler
 * goes by it. Machines without assembly here use
 * ucontext, which is slower.
 */
#if !defined(OPCOST_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__) && !(defined(__riscv) && __riscv_xlen == 64)
#define OPCOST_UCONTEXT
#endif

#ifdef OPCOST_UCONTEXT
#include <ucontext.h>

/* A stack that was left: where its registers are kept. */
typedef ucontext_t *opcost__left;

static void opcost__switch(opcost__left *from, opcost__left to) { swapcontext(*from, to); }
static void opcost__jump(opcost__left to) { setcontext(to); }

/* A stack that begins with `enter`. `room` is for its registers. */
static opcost__left opcost__begin(char *low, char *high, void (*enter)(void), opcost__left room) {
  getcontext(room);
  room->uc_stack.ss_sp = low;
  room->uc_stack.ss_size = (size_t)(high - low);
  room->uc_link = NULL;
  makecontext(room, enter, 0);
  return room;
}

#else

typedef void *opcost__left;

#define OPCOST__SYMBOL(name) ".globl " name "\n.hidden " name "\n.type " name ", %function\n" name ":\n"

#if defined(__x86_64__)
/* 6 registers, one word of mxcsr and x87 control, the return address. */
#define OPCOST__WORDS 8
#define OPCOST__ENTRY 7
#define OPCOST__CONTROL 0
__asm__(".pushsection .text\n.p2align 4\n" OPCOST__SYMBOL("opcost__switch")
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  subq $8, %rsp\n  stmxcsr (%rsp)\n  fnstcw 4(%rsp)\n"
        "  movq %rsp, (%rdi)\n  movq %rsi, %rdi\n" OPCOST__SYMBOL("opcost__jump")
        "  movq %rdi, %rsp\n"
        "  ldmxcsr (%rsp)\n  fldcw 4(%rsp)\n  addq $8, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n  ret\n.popsection\n");
static uint64_t opcost__control(void) {
  uint32_t mxcsr;
  uint16_t x87;
  __asm__("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87));
  return mxcsr | (uint64_t)x87 << 32;
}
#elif defined(__aarch64__)
/* x19 to x30, d8 to d15, fpcr, where to go on. */
#define OPCOST__WORDS 22
#define OPCOST__ENTRY 21
#define OPCOST__CONTROL 20
__asm__(".pushsection .text\n.p2align 4\n" OPCOST__SYMBOL("opcost__switch")
        "  sub sp, sp, #176\n"
        "  stp x19, x20, [sp]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n"
        "  stp x25, x26, [sp, #48]\n  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
        "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n"
        "  stp d14, d15, [sp, #144]\n  mrs x9, fpcr\n  stp x9, x30, [sp, #160]\n"
        "  mov x9, sp\n  str x9, [x0]\n  mov x0, x1\n" OPCOST__SYMBOL("opcost__jump")
        "  mov sp, x0\n"
        "  ldp x19, x20, [sp]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n"
        "  ldp x25, x26, [sp, #48]\n  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
        "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n"
        "  ldp d14, d15, [sp, #144]\n  ldp x9, x10, [sp, #160]\n  msr fpcr, x9\n"
        "  add sp, sp, #176\n  ret x10\n.popsection\n");
static uint64_t opcost__control(void) {
  uint64_t fpcr;
  __asm__("mrs %0, fpcr" : "=r"(fpcr));
  return fpcr;
}
#else
/* ra, s0 to s11, fs0 to fs11, fcsr, where to go on; one word of padding. */
#define OPCOST__WORDS 28
#define OPCOST__ENTRY 26
#define OPCOST__CONTROL 25
#if defined(__riscv_flen) && __riscv_flen >= 64
#define OPCOST__FLOATS(op)                                                                                             \
  "  " op " fs0, 104(sp)\n  " op " fs1, 112(sp)\n  " op " fs2, 120(sp)\n  " op " fs3, 128(sp)\n"                       \
  "  " op " fs4, 136(sp)\n  " op " fs5, 144(sp)\n  " op " fs6, 152(sp)\n  " op " fs7, 160(sp)\n"                       \
  "  " op " fs8, 168(sp)\n  " op " fs9, 176(sp)\n  " op " fs10, 184(sp)\n  " op " fs11, 192(sp)\n"
#define OPCOST__FCSR(words) words
#else
#define OPCOST__FLOATS(op)
#define OPCOST__FCSR(words)
#endif
#define OPCOST__WHOLE(op)                                                                                              \
  "  " op " ra, 0(sp)\n  " op " s0, 8(sp)\n  " op " s1, 16(sp)\n  " op " s2, 24(sp)\n  " op " s3, 32(sp)\n"            \
  "  " op " s4, 40(sp)\n  " op " s5, 48(sp)\n  " op " s6, 56(sp)\n  " op " s7, 64(sp)\n  " op " s8, 72(sp)\n"          \
  "  " op " s9, 80(sp)\n  " op " s10, 88(sp)\n  " op " s11, 96(sp)\n"
__asm__(".pushsection .text\n.p2align 2\n" OPCOST__SYMBOL("opcost__switch")
        "  addi sp, sp, -224\n" OPCOST__WHOLE("sd") OPCOST__FLOATS("fsd")
        OPCOST__FCSR("  frcsr t0\n  sd t0, 200(sp)\n") "  sd ra, 208(sp)\n"
        "  sd sp, 0(a0)\n  mv a0, a1\n" OPCOST__SYMBOL("opcost__jump")
        "  mv sp, a0\n" OPCOST__WHOLE("ld") OPCOST__FLOATS("fld")
        OPCOST__FCSR("  ld t0, 200(sp)\n  fscsr t0\n") "  ld t1, 208(sp)\n"
        "  addi sp, sp, 224\n  jr t1\n.popsection\n");
static uint64_t opcost__control(void) {
  uint64_t fcsr = 0;
#if defined(__riscv_flen) && __riscv_flen >= 64
  __asm__("frcsr %0" : "=r"(fcsr));
#endif
  return fcsr;
}
#endif

#ifdef __cplusplus
extern "C" {
#endif
__attribute__((visibility("hidden"))) void opcost__switch(opcost__left *from, opcost__left to);
__attribute__((visibility("hidden"), noreturn)) void opcost__jump(opcost__left to);
#ifdef __cplusplus
}
#endif

/* A stack that begins with `enter`, as if it had been left before its first
 * instruction. The return address there is 0, where unwinders end. */
static opcost__left opcost__begin(char *low, char *high, void (*enter)(void), opcost__left room) {
  /* At the entry of a function the stack pointer of x86-64 is off by a word. */
  uintptr_t *top = (uintptr_t *)((uintptr_t)high & ~(uintptr_t)15) - 4, *frame = top - OPCOST__WORDS;
  (void)low;
  (void)room;
#if defined(__x86_64__)
  frame -= 1;
#endif
  for (uintptr_t *word = frame; word < (uintptr_t *)((uintptr_t)high & ~(uintptr_t)15); word++) *word = 0;
  frame[OPCOST__ENTRY] = (uintptr_t)enter;
  frame[OPCOST__CONTROL] = opcost__control();
  return frame;
}
#endif
