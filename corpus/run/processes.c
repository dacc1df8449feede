#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#define NI __attribute__((noinline))
static int T[16];
NI int help(int x) { return x * 7 + (x >> 5); }
NI unsigned work(int n) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 16; k++)
      s = s * 3 + T[k] * i;
    s += help(i);
  }
  return s;
}
NI unsigned forks(int n) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 16; k++)
      s = s * 3 + T[k] * i;
    if (i % (n / 20) == 0) {
      fflush(stdout);
      int p = fork();
      if (!p) {
        T[i & 15]++;
        printf("child %d %u\n", i, work(3000000));
        fflush(stdout);
        _exit(i / (n / 20));
      }
      int st;
      waitpid(p, &st, 0);
      s += st;
    }
    s += help(i);
  }
  return s;
}
NI unsigned vforks(int n) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 16; k++)
      s = s * 3 + T[k] * i;
    if (i % (n / 20) == 0) {
      int p = vfork();
      if (!p) {
        execl("/bin/true", "true", (char *)0);
        _exit(1);
      }
      int st;
      waitpid(p, &st, 0);
      s += st;
    }
    s += help(i);
  }
  return s;
}
static char alt[65536];
static char *pg;
static volatile int faults;
static void segv(int s, siginfo_t *si, void *u) {
  if ((char *)si->si_addr >= pg && (char *)si->si_addr < pg + 4096 * 16) {
    faults++;
    mprotect((char *)((long)si->si_addr & ~4095L), 4096, PROT_READ | PROT_WRITE);
  } else {
    _exit(77);
  }
}
NI unsigned prot(int n) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 16; k++)
      s = s * 3 + T[k];
    if (i % 50000 == 0) {
      mprotect(pg, 4096 * 16, PROT_NONE);
    }
    pg[(i * 64) & 65535] += s;
    s += help(i);
  }
  return s;
}
NI int deep(int d) {
  volatile char b[100];
  b[d % 100] = d;
  int s = 0;
  for (int i = 0; i < 3; i++) {
    s += T[i];
    s += help(d);
  }
  return d ? deep(d - 1) + s + b[d % 100] : 0;
}
NI int overflow(int d) {
  volatile char b[1000];
  b[d % 1000] = d;
  return overflow(d + 1) + b[d % 1000];
}
int main(int c, char **v) {
  if (c > 1 && !strcmp(v[1], "again")) {
    printf("again %u\n", work(20000000));
    return 5;
  }
  for (int i = 0; i < 16; i++)
    T[i] = i * 3 + 1;
  printf("%u\n", forks(10000000));
  printf("%u\n", vforks(10000000));
  pg = mmap(0, 4096 * 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack_t ss = {.ss_sp = alt, .ss_size = sizeof alt};
  sigaltstack(&ss, 0);
  struct sigaction sa = {.sa_sigaction = segv, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigaction(SIGSEGV, &sa, 0);
  printf("%u\n", prot(3000000));
  printf("%d\n", faults);
  int t = 0;
  for (int i = 0; i < 200; i++)
    t += deep(30000);
  printf("%d\n", t);
  struct rlimit rl;
  getrlimit(RLIMIT_NOFILE, &rl);
  printf("nofile %ld stack ", (long)rl.rlim_cur);
  getrlimit(RLIMIT_STACK, &rl);
  printf("%ld\n", (long)rl.rlim_cur);
  // fd numbers
  int fd = open("/dev/null", O_RDONLY);
  printf("fd %d\n", fd);
  close(fd);
  // children: none to wait for
  int st;
  errno = 0;
  int w = waitpid(-1, &st, WNOHANG);
  printf("wait %d %s\n", w, strerror(errno));
  printf("argc %d\n", c);
  struct itimerval it;
  getitimer(ITIMER_PROF, &it);
  printf("itimer %ld %ld\n", it.it_interval.tv_usec, it.it_value.tv_usec);
  printf("pgid same %d sid %d\n", getpgrp() == getpgid(getppid()), getsid(0) == getsid(getppid()));
  sigset_t m;
  sigprocmask(0, 0, &m);
  for (int i = 1; i < 65; i++)
    if (sigismember(&m, i) == 1)
      printf("masked %d\n", i);
  for (int i = 3; i < 1024; i++)
    close(i);
  for (int i = 0; i < 3; i++)
    printf("%u\n", work(10000000));
  struct timespec ts = {0, 30000000};
  errno = 0;
  int r = nanosleep(&ts, 0);
  printf("sleep %d %d\n", r, errno);
  unsigned s = 0;
  for (int i = 0; i < 100; i++) {
    char b[10];
    int pp[2];
    if (pipe(pp)) {
      perror("pipe");
      break;
    }
    int p = fork();
    if (!p) {
      usleep(1000);
      write(pp[1], "x", 1);
      _exit(0);
    }
    int rr = read(pp[0], b, 1);
    s += rr;
    close(pp[0]);
    close(pp[1]);
    waitpid(p, 0, 0);
  }
  printf("%u\n", s);
  fflush(stdout);
  if (c == 1) {
    int p = fork();
    if (!p) {
      execl("/proc/self/exe", "self", "again", (char *)0);
      _exit(9);
    }
    waitpid(p, &st, 0);
    printf("st %x\n", st);
    fflush(stdout);
  }
  overflow(0);
}
