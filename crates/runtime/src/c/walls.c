// What keeps a program in that nobody trusts?
//
// Part of `fuel.c`, under OPC_WALLED. Whoever starts the program has set what
// can be set before it (no new privileges, landlock, limits of files and the
// stack); this file sets what may only hold from the program's first instruction on,
// since the loader needs more: how much memory there is, that only the
// three streams are open, and which system calls there are. The filters were
// computed by whoever starts it and lie behind the page in its file.
//
// The address of a hidden page could be timed out of the processor by a program
// that has a clock (masked loads and prefetches of pages that are not there take
// longer). `--check` tells which programs have one.
//
// A system call that is not allowed ends the program, and the page says which
// it was. A crash is blamed on the lack of memory when the last thing that
// failed did so for lack of memory.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/random.h>

#define OPC_WALLS_AT 4096
// Stands in the filters for the number of the process.
#define OPC_OWN_PROCESS 0x6f706373u
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

// Read from the file: opcost_runtime::fuel writes it.
static struct {
  uint64_t memory;
  uint32_t counts[2];
  struct sock_filter filters[4000];
} opc_walls;

static int opc_walls_read(int file) {
  ssize_t got = pread(file, &opc_walls, sizeof opc_walls, OPC_WALLS_AT);
  uint32_t count = opc_walls.counts[0] + opc_walls.counts[1];
  if (got != sizeof opc_walls || !opc_walls.counts[0] || !opc_walls.counts[1] || count > 4000) return 0;
  for (uint32_t at = 0; at < count; at++)
    if (opc_walls.filters[at].k == OPC_OWN_PROCESS) opc_walls.filters[at].k = (uint32_t)getpid();
  return 1;
}

#ifdef __x86_64__
// What a caller left on the stack, to the depth that anything here went.
__attribute__((noinline)) static void opc_walls_wipe(void) {
  volatile char below[16384];
  for (size_t at = 0; at < sizeof below; at++) below[at] = 0;
}

// Maps the page where nobody will find it: 35 bits of its address are drawn.
__attribute__((noinline)) static int opc_walls_map_hidden(int file) {
  for (int tries = 0; tries < 100; tries++) {
    uint64_t drawn;
    if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn) return 0;
    void *at = (void *)(drawn & UINT64_C(0x7ffffffff000));
    void *mapped = mmap(at, OPC_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);
    *(volatile uint64_t *)&drawn = 0;
    if (mapped == MAP_FAILED) continue;
    // Kernels before 4.17 take the address for a hint; that would be no secret.
    if (mapped != at) return 0;
    return syscall(SYS_arch_prctl, 0x1001 /* ARCH_SET_GS */, at) == 0;
  }
  return 0;
}

static int opc_walls_map(int file) {
  int is_mapped = opc_walls_map_hidden(file);
  opc_walls_wipe();
  return is_mapped;
}
#else
static int opc_walls_map(int file) {
  void *mapped = mmap(&opc_fuel_memory, OPC_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
  return mapped != MAP_FAILED;
}
#endif

static void opc_walls_blame_memory(void) {
  if (page->state == OPC_RUNNING && errno == ENOMEM) page->state = OPC_MEMORY;
}

static void opc_walls_forbidden(int number, siginfo_t *info, void *context) {
  if (page->state == OPC_RUNNING) {
    page->line = (uint32_t)info->si_syscall;
    page->state = OPC_FORBIDDEN;
  }
  _exit(3);
}

static void opc_walls_aborted(int number) {
  opc_walls_blame_memory();
  // The handler is gone: this ends the program.
  raise(number);
}

// A program that is not walled in must not run.
static void opc_walls_need(int is_done, const char *wall) {
  if (is_done) return;
  fprintf(stderr, "opcost: this kernel does not let %s: %m\n", wall);
  _exit(127);
}

static void opc_walls_up(void) {
  struct sigaction forbidden = {.sa_sigaction = opc_walls_forbidden, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  struct sigaction aborted = {.sa_handler = opc_walls_aborted, .sa_flags = SA_ONSTACK | SA_NODEFER | SA_RESETHAND};
  struct rlimit memory = {opc_walls.memory, opc_walls.memory};
  opc_walls_need(sigaction(SIGSYS, &forbidden, NULL) == 0 && sigaction(SIGABRT, &aborted, NULL) == 0, "handle signals");
  opc_walls_need(setrlimit(RLIMIT_AS, &memory) == 0, "limit memory");
  // Where the kernel lacks it, the filters forbid their use all the same.
  syscall(SYS_close_range, 3u, ~0u, 0u);
  opc_walls_need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "renounce new privileges");
  // The second forbids putting up any more.
  struct sock_filter *next = opc_walls.filters;
  for (int position = 0; position < 2; position++) {
    struct sock_fprog filter = {.len = (unsigned short)opc_walls.counts[position], .filter = next};
    opc_walls_need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0, "filter system calls (seccomp)");
    next += opc_walls.counts[position];
  }
  page->flags |= OPC_WALLS;
#ifdef __x86_64__
  page->flags |= OPC_HIDDEN_PAGE;
#endif
  errno = 0;
}
