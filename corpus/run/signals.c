#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>
#define NI __attribute__((noinline))
static _Atomic int A[8];
static volatile int V[8];
static int P[8];
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
NI int help(int x) { return x * 7 + (x >> 5); }
static atomic_int go, phase;
static void *th(void *a) {
  for (int k = 0; k < 20; k++) {
    usleep(20000);
    pthread_mutex_lock(&mu);
    P[k & 7] += 1;
    pthread_mutex_unlock(&mu);
    A[k & 7]++;
  }
  phase = 1;
  return 0;
}
NI long waitall(int n) { // loop until mutex-protected array sums to
  long it = 0;
  for (;;) {
    long s = 0;
    pthread_mutex_lock(&mu);
    for (int k = 0; k < 8; k++)
      s += P[k];
    pthread_mutex_unlock(&mu);
    for (int k = 0; k < 8; k++)
      s += A[k];
    it += help(it) & 1;
    if (s >= n)
      break;
  }
  return it >= 0;
}
static volatile sig_atomic_t nal;
static void onal(int s) {
  nal++;
  V[nal & 7] = nal;
}
NI int waitsig(int n) {
  long it = 0;
  for (;;) {
    int s = 0;
    for (int k = 0; k < 8; k++)
      s |= V[k] >= n;
    it += help(it) & 1;
    if (s)
      break;
  }
  return 1;
}
static sigjmp_buf jb;
static volatile int jc;
static void onalj(int s) { siglongjmp(jb, ++jc); }
NI int jl(int n) {
  volatile int c = 0;
  volatile unsigned long x = 0;
  if (sigsetjmp(jb, 1) >= n)
    return c;
  c++;
  for (;;) {
    for (int k = 0; k < 100; k++)
      x += help(k);
  }
}
NI int jl2(int n, int m) {
  jmp_buf j;
  volatile int c = 0;
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    if (setjmp(j) == 0) {
      for (int q = 0; q < m; q++)
        s = s * 31 + help(q + i);
      longjmp(j, 1);
    } else
      c += 2;
  }
  return c;
}
NI void deep(jmp_buf j, int d, int m) {
  unsigned s = 0;
  for (int i = 0; i < m; i++) {
    s = s * 3 + help(i);
    for (int k = 0; k < 3; k++)
      s ^= k * i;
    if (d > 0 && i == m / 2)
      deep(j, d - 1, m);
  }
  if (d == 0)
    longjmp(j, (s & 7) + 1);
}
NI long jl3(int n) {
  long t = 0;
  jmp_buf j;
  for (volatile int i = 0; i < n; i++) {
    int r = setjmp(j);
    if (!r)
      deep(j, 10, 1000);
    else
      t += r;
  }
  return 0;
}
int main() {
  pthread_t t;
  pthread_create(&t, 0, th, 0);
  printf("%ld\n", waitall(40));
  pthread_join(t, 0);
  struct sigaction sa = {.sa_handler = onal};
  sigaction(SIGALRM, &sa, 0);
  struct itimerval it = {{0, 20000}, {0, 20000}};
  setitimer(ITIMER_REAL, &it, 0);
  printf("%d\n", waitsig(20));
  sa.sa_handler = onalj;
  sigaction(SIGALRM, &sa, 0);
  printf("%d\n", jl(15));
  it = (struct itimerval){0};
  setitimer(ITIMER_REAL, &it, 0);
  printf("%d\n", jl2(3000, 50000));
  printf("%ld\n", jl3(3000));
  // SIGPROF / ITIMER_PROF used by the program itself
  sa.sa_handler = onal;
  nal = 0;
  for (int k = 0; k < 8; k++)
    V[k] = 0;
  sigaction(SIGPROF, &sa, 0);
  it = (struct itimerval){{0, 10000}, {0, 10000}};
  setitimer(ITIMER_PROF, &it, 0);
  printf("%d\n", waitsig(30));
  it = (struct itimerval){0};
  setitimer(ITIMER_PROF, &it, 0);
  for (int sg = 1; sg < 65; sg++) {
    struct sigaction o;
    if (!sigaction(sg, 0, &o) && o.sa_handler != SIG_DFL)
      printf("sig %d nondefault %d\n", sg, o.sa_handler == SIG_IGN);
  }
  sigset_t ss;
  sigprocmask(0, 0, &ss);
  for (int sg = 1; sg < 65; sg++)
    if (sigismember(&ss, sg))
      printf("blocked %d\n", sg);
}
