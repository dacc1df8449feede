// Who is this process, and what does it ask the kernel without a function?
//
// The program's first process has one number, whatever the kernel calls it: a
// number that no process can have (the kernel's end at 2^22), so that a signal
// meant for it that takes a way unknown here hits nobody. Functions that
// take numbers of processes understand it. Its first thread has the same one.
// The number of its parent is one less.
//
// `syscall` is a function of the C library like others: what it asks of time and
// random numbers is answered as elsewhere.
//
// Limits: children and threads keep the kernel's numbers; so does what the
// kernel says of processes by other ways (fork, wait, signals, /proc).
#include "deterministic.h"

#include <signal.h>
#include <sched.h>

#define OPC_NUMBER 5000000

static pid_t opc_shown(long real) { return opc_first_process && real == opc_first_process ? OPC_NUMBER : (pid_t)real; }
static pid_t opc_real(pid_t shown) { return shown == OPC_NUMBER && opc_first_process ? opc_first_process : shown; }

OPC_OPEN pid_t getpid(void) { return opc_shown(opc_kernel(SYS_getpid, 0, 0, 0)); }
OPC_OPEN pid_t gettid(void) { return opc_shown(opc_kernel(SYS_gettid, 0, 0, 0)); }
OPC_OPEN pid_t getppid(void) {
  if (getpid() == OPC_NUMBER) return OPC_NUMBER - 1;
  return opc_shown(opc_kernel(SYS_getppid, 0, 0, 0));
}

OPC_OPEN int kill(pid_t process, int signal) { return OPC_NEXT(kill)(opc_real(process), signal); }
OPC_OPEN int tgkill(pid_t process, pid_t thread, int signal) {
  return OPC_NEXT(tgkill)(opc_real(process), opc_real(thread), signal);
}
OPC_OPEN int sigqueue(pid_t process, int signal, const union sigval value) {
  return OPC_NEXT(sigqueue)(opc_real(process), signal, value);
}
OPC_OPEN pid_t getpgid(pid_t process) { return OPC_NEXT(getpgid)(opc_real(process)); }
OPC_OPEN pid_t getsid(pid_t process) { return OPC_NEXT(getsid)(opc_real(process)); }
OPC_OPEN int setpgid(pid_t process, pid_t group) {
  return OPC_NEXT(setpgid)(opc_real(process), opc_real(group));
}

// On which processor it runs changes under its hands.
OPC_OPEN int sched_getcpu(void) { return 0; }
OPC_OPEN int getcpu(unsigned *processor, unsigned *node) {
  if (processor) *processor = 0;
  if (node) *node = 0;
  return 0;
}

long opc_kernel(long number, long a, long b, long c) { return OPC_NEXT(syscall)(number, a, b, c); }

OPC_OPEN long syscall(long number, ...) {
  long given[6];
  va_list rest;
  // As many as any system call has; what was not given is not read.
  va_start(rest, number);
  for (int at = 0; at < 6; at++) given[at] = va_arg(rest, long);
  va_end(rest);
  switch (number) {
  case SYS_getrandom: return opc_random((void *)given[0], (size_t)given[1]), given[1];
  case SYS_clock_gettime: return opc_clock((clockid_t)given[0], (struct timespec *)given[1]);
#ifdef SYS_time
  case SYS_time: return time((time_t *)given[0]);
#endif
  default: return OPC_NEXT(syscall)(number, given[0], given[1], given[2], given[3], given[4], given[5]);
  }
}
