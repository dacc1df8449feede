/* A host that looks at itself behind every end of a turn: is its signal mask
 * what it was, its alternate stack, its errno, how it rounds, its locale; and
 * do its own faults and signals still go where they went? */
#define OPCOST_HOST_IMPLEMENTATION
#include "opcost_host.h"

#include <fenv.h>
#include <setjmp.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) fail(__LINE__, #condition);                                                                      \
  } while (0)

static int at;
static const char *what;
static void fail(int line, const char *text) {
  printf("ends.c:%d: %s, in round %d, %s\n", line, text, at, what);
  exit(1);
}

static sigjmp_buf back;
static volatile int own_faults, alarms;
static void on_fault(int number) {
  own_faults++;
  siglongjmp(back, number);
}
static void on_alarm(int number) { alarms += number == SIGALRM; }

static opcost_instance *fresh(const char *path) {
  static const char *const allowed[] = {"sleep", NULL};
  const opcost_options options = {64 << 10, 1 << 20, allowed};
  char reason[200];
  opcost_instance *bot = opcost_load(path, &options, reason, sizeof reason);
  if (!bot) fail(__LINE__, reason);
  return bot;
}

static opcost_verdict end(const char *path, const char *function, uint64_t deadline) {
  static long shared[2];
  sigset_t mask, mask_after;
  stack_t stack, stack_after;
  opcost_instance *bot = fresh(path);
  what = function;
  /* The first turn of a thread gives it what it has not. */
  CHECK(opcost_run(bot, opcost_find(bot, "fine"), shared, 1000, 0).kind == OPCOST_FINISHED);
  memset(&mask, 0, sizeof mask), memset(&mask_after, 0, sizeof mask_after);
  sigprocmask(SIG_SETMASK, NULL, &mask);
  sigaltstack(NULL, &stack);
  locale_t locale = uselocale((locale_t)0);
  errno = 1234;
  opcost_verdict verdict = opcost_run(bot, opcost_find(bot, function), shared, UINT64_C(1) << 50, deadline);
  CHECK(errno == 1234);
  CHECK(fegetround() == FE_UPWARD);
  sigprocmask(SIG_SETMASK, NULL, &mask_after);
  CHECK(memcmp(&mask, &mask_after, sizeof mask) == 0);
  sigaltstack(NULL, &stack_after);
  CHECK(stack.ss_sp == stack_after.ss_sp && stack.ss_size == stack_after.ss_size);
  CHECK(stack.ss_flags == stack_after.ss_flags);
  CHECK(uselocale((locale_t)0) == locale);
  opcost_drop(bot);
  return verdict;
}

static int child(int how, const char *path) {
  int status;
  pid_t pid = fork();
  if (pid == 0) {
    if (how == 0) _exit(end(path, "spin", 2000000).kind == OPCOST_TIME ? 7 : 1);
    signal(SIGSEGV, SIG_DFL); /* as if nobody had ever asked for it */
    if (how == 1) *(volatile int *)8 = 1;
    _exit(1);
  }
  waitpid(pid, &status, 0);
  return status;
}

int main(int count, char **arguments) {
  const char *path = count > 1 ? arguments[1] : "";
  int rounds = count > 2 ? atoi(arguments[2]) : 1000;
  struct itimerval soon = {{0, 700}, {0, 700}};
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_fault;
  sigaction(SIGSEGV, &action, NULL);
  action.sa_handler = on_alarm;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &soon, NULL);
  fesetround(FE_UPWARD);
  for (at = 0; at < rounds; at++) {
    CHECK(end(path, "crash", at % 2 ? 10000000000 : 0).kind == OPCOST_CRASHED);
    CHECK(end(path, "recurse", 0).kind == OPCOST_STACK);
    CHECK(end(path, "round_up", 0).kind == OPCOST_CRASHED);
    CHECK(end(path, "abort_it", 0).kind == OPCOST_CRASHED);
    CHECK(end(path, "take", 0).kind == OPCOST_MEMORY);
    if (at % 4 == 0) CHECK(end(path, "spin", 100000).kind == OPCOST_TIME);
    /* So long that it is asleep by then. */
    if (at % 16 == 0) CHECK(end(path, "doze", 20000000).kind == OPCOST_BLOCKED);
    if (at % 4 == 1) {
      int before = own_faults;
      if (sigsetjmp(back, 1) == 0) *(volatile int *)16 = 1;
      CHECK(own_faults == before + 1);
      fesetround(FE_UPWARD); /* a jump out of a handler of one's own does not restore it */
    }
  }
  what = "children";
  CHECK(alarms > 2);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
  CHECK(WEXITSTATUS(child(0, path)) == 7);
  CHECK(WTERMSIG(child(1, path)) == SIGSEGV);
  printf("fine\n");
}
