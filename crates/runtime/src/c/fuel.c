// How does a metered program get its fuel, and what is kept of its end?
//
// Metered code counts `opc_fuel` down and calls `opc_fuel_used_up` when a
// check finds it below zero. The cell is the head of a page of its own. When
// OPCOST_FUEL names a file, that file is mapped over the page before any
// constructor of the program runs, so whoever made the file can read what was
// left after any end whatever, SIGKILL too. Without a file there is no limit.
//
// While the program computes, the cell is behind. So whatever signal ends it is
// handled first, and what was left is looked up (`told.h`) and noted beside the
// cell; then it ends as it would have. SIGURG, which else means nothing to a
// program, asks for the same and lets it go on: whoever waits for the program
// sends it when the cell stands still, so that little is lost at a SIGKILL.
//
// A stack that is full is told apart from other crashes: the signal comes on a
// stack of its own, and the address is close to the stack pointer, below the
// end of the stack.
//
// A page is used by one process: a child of fork goes on with a private copy,
// and the parent's page says that there was one.
//
// With OPC_WALLED the program is one that nobody trusts: it does not run without
// a file, the walls of `walls.c` go up before its first instruction, and on
// x86-64 the page lies at an address that stands nowhere in memory. Metered code
// and this file reach it through the segment register gs alone, which no
// instruction that `--check` lets through can read.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fuel_page.h"
#include "told.h"

#define OPC_HIDDEN __attribute__((visibility("hidden")))
// The metered code's registers stay as they are, where clang has a way to say so.
#if defined(__x86_64__) || defined(__aarch64__)
#define OPC_KEEPS_MOST __attribute__((preserve_most))
#else
#define OPC_KEEPS_MOST
#endif
#define OPC_PAGE 65536
enum { OPC_FORKED = 1, OPC_WALLS = 2, OPC_HIDDEN_PAGE = 4, OPC_LOOKS = 8 };

#if defined OPC_WALLED && defined __x86_64__
#define OPC_SPACE __seg_gs
#define page ((struct opc_fuel_page OPC_SPACE *)0)
#else
#define OPC_SPACE
OPC_HIDDEN union {
  struct opc_fuel_page page;
  char bytes[OPC_PAGE];
} opc_fuel_memory __attribute__((aligned(OPC_PAGE))) = {.page = {.left = OPC_FULL, .mirror = OPC_FULL}};
extern OPC_HIDDEN int64_t opc_fuel __attribute__((alias("opc_fuel_memory")));
#define page (&opc_fuel_memory.page)
#endif

static void opc_fuel_copy(char OPC_SPACE *to, size_t size, const char *from) {
  size_t at = 0;
  for (; at + 1 < size && from[at]; at++) to[at] = from[at];
  to[at] = 0;
}

#ifndef OPC_WALLED
static void opc_fuel_forked(void) { page->flags |= OPC_FORKED; }

static void opc_fuel_in_child(void) {
  struct opc_fuel_page copy = *page;
  void *private_page = mmap(&opc_fuel_memory, OPC_PAGE, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (private_page == MAP_FAILED) _exit(127);
  *page = copy;
}
#endif

// A program that cannot be stopped must not run.
static void opc_fuel_refuse(const char *path) {
  fprintf(stderr, "opcost: cannot use the fuel file %s: %m\n", path);
  _exit(127);
}

#ifdef OPC_WALLED
#include "walls.c"
#endif

static char *opc_fuel_stack_top;
static char opc_fuel_signal_stack[65536];

#ifdef OPCOST_TELLS
extern OPC_HIDDEN __attribute__((weak)) const char opc_table[] __asm__("__start_opc_told");
extern OPC_HIDDEN __attribute__((weak)) const char opc_table_end[] __asm__("__stop_opc_told");

// Notes what is left, if it is known here. A fault is the last word.
static void opc_fuel_look(void *context, int number, int is_fault) {
  const char *table = opc_table;
  struct opcost__answer answer;
  if (!table || page->state != OPC_RUNNING) return;
  // Where `main` has its frame differs; nothing of a program's lies far above.
  uint64_t top = (uint64_t)(uintptr_t)opc_fuel_stack_top + 65536, stack = top - 8;
#if defined(__x86_64__)
  stack = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
  stack = ((ucontext_t *)context)->uc_mcontext.sp;
#elif defined(__riscv)
  stack = ((ucontext_t *)context)->uc_mcontext.__gregs[REG_SP];
#endif
  if (!opcost__told(table, opc_table_end, number, (const ucontext_t *)context, stack - 128, top, &answer)) return;
  if (answer.left <= INT64_MIN / 2) return;
  if (is_fault) {
    page->known = answer.known;
    page->left_at_fault = page->left;
  }
  if (answer.left < page->seen || (is_fault && answer.known != OPCOST__AT_LEAST)) page->seen = answer.left;
  page->looks++;
}
#else
static void opc_fuel_look(void *context, int number, int is_fault) { (void)context, (void)number, (void)is_fault; }
#endif

static void opc_fuel_asked(int number, siginfo_t *info, void *context) { opc_fuel_look(context, number, 0); }

#ifndef OPC_WALLED
// It was sent: it is sent once more, to end the program when this returns.
static void opc_fuel_sent(int number, siginfo_t *info, void *context) {
  opc_fuel_look(context, number, 0);
  raise(number);
}
#endif

static void opc_fuel_fault(int number, siginfo_t *info, void *context) {
  struct rlimit limit;
  char *at = info->si_addr;
  int is_full = 0;
  if (number == SIGSEGV && getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      at < opc_fuel_stack_top) {
    size_t depth = (size_t)(opc_fuel_stack_top - at);
    // The kernel keeps a gap; a large frame may step over more than a page.
    is_full = depth + (4 << 20) > limit.rlim_cur && depth < limit.rlim_cur + (64 << 20);
  }
#ifdef __x86_64__
  // Behind a breakpoint the program would go on: it meets it again instead.
  greg_t *code = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  if (number == SIGTRAP && info->si_code > 0 && ((const unsigned char *)*code)[-1] == 0xcc) --*code;
#endif
  opc_fuel_look(context, number, info->si_code > 0);
  if (is_full) page->state = OPC_STACK;
#ifdef OPC_WALLED
  if (number == SIGSEGV) opc_walls_blame_memory();
#else
  if (info->si_code <= 0) raise(number);
#endif
  // It happens once more, without this handler: the program ends as it would have.
}

static void opc_fuel_handle(const int *signals, size_t count, void (*handler)(int, siginfo_t *, void *), int flags) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | flags}, before;
  for (size_t at = 0; at < count; at++)
    if (sigaction(signals[at], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(signals[at], &action, NULL);
}

// Whatever ends the program is seen first.
static void opc_fuel_watch_ends(void) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}, asking[] = {SIGURG};
  stack_t stack = {.ss_sp = opc_fuel_signal_stack, .ss_size = sizeof opc_fuel_signal_stack};
  opc_fuel_stack_top = __builtin_frame_address(0);
  if (sigaltstack(&stack, NULL) != 0) return;
  opc_fuel_handle(faults, sizeof faults / sizeof *faults, opc_fuel_fault, SA_RESETHAND);
#ifdef OPCOST_TELLS
  opc_fuel_handle(asking, 1, opc_fuel_asked, SA_RESTART);
  page->flags |= OPC_LOOKS;
#endif
#ifndef OPC_WALLED
  static const int sent[] = {SIGTERM, SIGINT,    SIGHUP,  SIGQUIT, SIGXCPU, SIGALRM,
                             SIGABRT, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2};
  opc_fuel_handle(sent, sizeof sent / sizeof *sent, opc_fuel_sent, SA_RESETHAND);
#endif
}

// The library (library/) says by calls of it what is to be charged.
OPC_HIDDEN void opc_libc_charge(size_t bytes) { (void)bytes; }

// How many variables the environment has. opcost's own differ between what counts and what pays.
OPC_HIDDEN size_t opc_environment_size(void) {
  extern char **environ;
  size_t size = 0;
  for (char **one = environ; one && *one; one++) {
    const char *own = "OPCOST_", *name = *one;
    while (*own && *own == *name) own++, name++;
    size += *own != 0;
  }
  return size;
}

__attribute__((constructor(101))) static void opc_fuel_start(void) {
  const char *path = getenv("OPCOST_FUEL");
#ifdef OPC_WALLED
  if (!path) path = "(none)";
#else
  if (!path || !*path) return;
#endif
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) opc_fuel_refuse(path);
#ifdef OPC_WALLED
  // Nothing metered ran: what would have is refused.
  int64_t spent = 0;
  if (!opc_walls_read(file) || !opc_walls_map(file)) opc_fuel_refuse(path);
#else
  int64_t spent = OPC_FULL - page->left;
  void *mapped = mmap(&opc_fuel_memory, OPC_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
  if (mapped == MAP_FAILED) opc_fuel_refuse(path);
#endif
  close(file);
  page->left = page->limit - spent;
  page->mirror = page->left ^ page->key;
  opc_fuel_copy(page->magic, sizeof page->magic, "OPCFUEL");
  page->magic[7] = '1';
  page->seen = OPC_FULL;
  opc_fuel_watch_ends();
  // A program that this one starts has its own fuel, or none.
  unsetenv("OPCOST_FUEL");
#ifdef OPC_WALLED
  opc_walls_up();
#else
  pthread_atfork(NULL, opc_fuel_forked, opc_fuel_in_child);
#endif
}

OPC_HIDDEN OPC_KEEPS_MOST __attribute__((cold)) void opc_fuel_used_up(const struct opc_site *site) {
  page->left_at_stop = page->left;
  page->line = site->line;
  opc_fuel_copy(page->function, sizeof page->function, site->function);
  opc_fuel_copy(page->file, sizeof page->file, site->file);
  // In this order for whoever looks at the page meanwhile.
  *(volatile uint32_t OPC_SPACE *)&page->state = OPC_USED_UP;
  // What the program printed is its own; streams of its own making may run
  // metered code once more.
  *(volatile int64_t OPC_SPACE *)&page->left = OPC_FULL;
  page->mirror = OPC_FULL ^ page->key;
  fflush(NULL);
  _exit(3);
}

// A store would have reached the counter, or one did.
OPC_HIDDEN __attribute__((cold, noreturn)) void opc_fuel_tampered(const struct opc_site *site) {
  page->line = site->line;
  opc_fuel_copy(page->function, sizeof page->function, site->function);
  opc_fuel_copy(page->file, sizeof page->file, site->file);
  *(volatile uint32_t OPC_SPACE *)&page->state = OPC_TAMPERED;
  _exit(3);
}
