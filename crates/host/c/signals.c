/* Which signal ends a turn, and how?
 *
 * While a bot runs, a fault comes on the thread's alternate stack. If it
 * was the bot's, the handler never returns: it goes on with the host, where
 * opcost_run stands. The kernel keeps no note of an alternate
 * stack in use (it goes by the stack pointer), and with SA_NODEFER and an
 * empty mask no signal stays blocked, so nothing has to be undone.
 *
 * The deadline is a timer of the thread. A bot that is in its own code is cut
 * off there. In the C library it could hold a lock of the host's, so first its
 * own code is made unrunnable: a sleep is interrupted, the library returns, and
 * the very next instruction of the bot faults. Only when that does not come in
 * a quarter of a second it is cut off where it is. A late signal of an earlier
 * turn is told by the clock: the deadline of this turn has not come yet.
 *
 * Whether a bot computed or waited the kernel tells: one that waited gave the
 * processor away by itself, and had it for less than half of its time. One that
 * others kept from the processor computed.
 */
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef OPCOST_SIGNAL
#define OPCOST_SIGNAL (SIGRTMIN + 6)
#endif
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define OPCOST__TICK 10000000 /* nanoseconds between two tries to cut off */
#define OPCOST__TRIES 25
#define OPCOST__SOON 37000 /* nanoseconds until it is asked once more what is left */
#define OPCOST__LOOKS 50
#define OPCOST__SIGNAL_STACK 65536
#define OPCOST__NEAR 65536

#ifndef RUSAGE_THREAD
#define RUSAGE_THREAD 1
#endif

enum { OPCOST__IDLE, OPCOST__SUSPENDED, OPCOST__DEAD };

/* What a thread did until a moment of the monotonic clock. */
struct opcost__effort {
  uint64_t at, computed; /* nanoseconds */
  long waits;            /* how often it gave the processor away */
};

struct opcost_instance {
  struct opcost_plugin *plugin;
  void *library;
  char *text_low, *text_high;
  /* guard | stack | guard */
  char *stack_mapping, *stack_low, *stack_high;
  size_t stack_mapping_size;
  char *heap;
  size_t heap_reserved;
  opcost__left host_left, bot_left;
  char *host_frame; /* near where the host left its stack */
#ifdef OPCOST_UCONTEXT
  ucontext_t host_room, bot_room;
#endif
  int state;
  opcost_kind kind;
  int signal;
  /* Fuel of this turn that the cell has had; fuel that it gets when it asks. */
  uint64_t granted, pending, spent_before;
  uint64_t deadline; /* by the monotonic clock, in nanoseconds; 0: none */
  struct opcost__effort began; /* where there is a deadline */
  int tries, looks;
};

struct opcost__thread {
  timer_t timer;
  int has_timer;
  void *signal_stack; /* ours, or null */
  char *signal_low, *signal_high;
};

/* The instance whose turn it is on this thread. */
static __thread struct opcost_instance *volatile opcost__current __attribute__((tls_model("initial-exec")));
static __thread struct opcost__thread *opcost__own __attribute__((tls_model("initial-exec")));
static pthread_once_t opcost__once = PTHREAD_ONCE_INIT;
static pthread_key_t opcost__key;
static locale_t opcost__plain;
static struct sigaction opcost__before[128];
static const int opcost__faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};

static uint64_t opcost__now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static struct opcost__effort opcost__effort(void) {
  struct opcost__effort effort = {opcost__now(), 0, 0};
  struct rusage used;
  if (getrusage((__typeof__(RUSAGE_SELF))RUSAGE_THREAD, &used) == 0) {
    uint64_t seconds = (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
    uint64_t rest = (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    effort.computed = seconds * 1000000000 + rest * 1000;
    effort.waits = used.ru_nvcsw;
  }
  return effort;
}

/* How a bot ends that the deadline ends. */
static opcost_kind opcost__late(const struct opcost_instance *instance) {
  const struct opcost__effort *began = &instance->began, now = opcost__effort();
  int has_waited = now.waits != began->waits && 2 * (now.computed - began->computed) < now.at - began->at;
  return has_waited ? OPCOST_BLOCKED : OPCOST_TIME;
}

/* The bot is ended where it is: the cell gets what is left there, if that is known.
 * The cell may have been charged for code that was not begun; where the row is
 * exact, that comes back. */
static int opcost__settle(struct opcost_instance *instance, int number, const ucontext_t *there) {
#ifdef OPCOST_TELLS
  const struct opcost_plugin *plugin = instance->plugin;
  struct opcost__answer answer;
  if (!opcost__told(plugin->told, plugin->told_end, number, there, (uint64_t)(uintptr_t)instance->stack_low,
                    (uint64_t)(uintptr_t)instance->stack_high, &answer))
    return 0;
  int is_exact = number != OPCOST_SIGNAL && answer.known == OPCOST__EXACT;
  if ((is_exact || answer.left < *plugin->fuel) && answer.left > INT64_MIN / 2) *plugin->fuel = answer.left;
#else
  (void)instance;
  (void)there;
  (void)number;
#endif
  return 1;
}

static void opcost__end(struct opcost_instance *instance, opcost_kind kind, int number) {
  instance->kind = kind;
  instance->signal = number;
  opcost__jump(instance->host_left);
}

static void opcost__set_timer(struct opcost__thread *thread, uint64_t deadline);

static void opcost__on_deadline(struct opcost_instance *instance, const ucontext_t *there, int is_own_code) {
  if (instance->deadline == 0 || opcost__now() < instance->deadline) return;
  int is_last = is_own_code || instance->tries >= OPCOST__TRIES;
  if (is_last && !opcost__settle(instance, OPCOST_SIGNAL, there) && is_own_code && instance->looks++ < OPCOST__LOOKS) {
    /* What is left is on its way between two registers: a little later. */
    opcost__set_timer(opcost__own, opcost__now() + OPCOST__SOON);
    return;
  }
  if (is_last) opcost__end(instance, opcost__late(instance), 0);
  if (instance->tries++ == 0)
    mprotect(instance->text_low, (size_t)(instance->text_high - instance->text_low), PROT_READ);
}

static void opcost__on_fault(struct opcost_instance *instance, int number, const siginfo_t *info, const char *stack,
                             const ucontext_t *there, int is_own_code) {
  opcost__settle(instance, number, there);
  const char *address = (const char *)info->si_addr;
  int is_memory = number == SIGSEGV || number == SIGBUS;
  if (is_own_code && instance->tries > 0 && number == SIGSEGV) opcost__end(instance, opcost__late(instance), 0);
  /* No room for the frame of another signal's handler: the kernel has no address for that. */
  int is_frame = info->si_code == SI_KERNEL && stack >= instance->stack_low && stack < instance->stack_low + 8192;
  if (is_memory && (is_frame || (address >= instance->stack_mapping && address < instance->stack_low)))
    opcost__end(instance, OPCOST_STACK, number);
  opcost__end(instance, OPCOST_CRASHED, number);
}

/* Whether it is the bot that was interrupted: not the few steps of the host
 * before and after, and no handler of the host's on the signal stack. A bot's
 * own stack pointer may be anything, after a jump to nowhere. */
static int opcost__is_bots(const struct opcost_instance *instance, const char *stack) {
  const struct opcost__thread *thread = opcost__own;
  if (stack >= instance->host_frame - OPCOST__NEAR && stack <= instance->host_frame + OPCOST__NEAR) return 0;
  return !thread || stack < thread->signal_low || stack > thread->signal_high;
}

/* As if we had never been here. */
static void opcost__pass_on(int number, siginfo_t *info, void *context) {
  const struct sigaction *before = &opcost__before[number];
  if (before->sa_flags & SA_SIGINFO) {
    before->sa_sigaction(number, info, context);
  } else if (before->sa_handler == SIG_DFL || (before->sa_handler == SIG_IGN && info->si_code > 0)) {
    /* A fault comes again as soon as this returns; what was sent is sent once more. */
    signal(number, SIG_DFL);
    if (info->si_code <= 0) raise(number);
  } else if (before->sa_handler != SIG_IGN) {
    before->sa_handler(number);
  }
}

static void opcost__on_signal(int number, siginfo_t *info, void *context) {
  struct opcost_instance *instance = opcost__current;
  const ucontext_t *there = (const ucontext_t *)context;
  int error = errno;
  char *stack, *code;
#if defined(__x86_64__)
  stack = (char *)there->uc_mcontext.gregs[REG_RSP];
  code = (char *)there->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  stack = (char *)there->uc_mcontext.sp;
  code = (char *)there->uc_mcontext.pc;
#elif defined(__riscv)
  stack = (char *)there->uc_mcontext.__gregs[REG_SP];
  code = (char *)there->uc_mcontext.__gregs[REG_PC];
#else
#error "where does this machine keep its stack pointer?"
#endif
  int is_bot = instance && opcost__is_bots(instance, stack);
  int is_own_code = is_bot && code >= instance->text_low && code < instance->text_high;
  if (number == OPCOST_SIGNAL && info->si_code == SI_TIMER && info->si_value.sival_ptr == &opcost__once) {
    if (is_bot) opcost__on_deadline(instance, there, is_own_code);
  } else if (is_bot && number != OPCOST_SIGNAL && (info->si_code > 0 || info->si_pid == getpid())) {
    opcost__on_fault(instance, number, info, stack, there, is_own_code);
  } else {
    opcost__pass_on(number, info, context);
  }
  errno = error;
}

static void opcost__thread_ends(void *own) {
  struct opcost__thread *thread = (struct opcost__thread *)own;
  stack_t stack;
  if (thread->has_timer) timer_delete(thread->timer);
  if (thread->signal_stack) {
    if (sigaltstack(NULL, &stack) == 0 && stack.ss_sp == thread->signal_stack) {
      stack.ss_flags = SS_DISABLE;
      sigaltstack(&stack, NULL);
    }
    munmap(thread->signal_stack, OPCOST__SIGNAL_STACK);
  }
  opcost__own = NULL;
  free(thread);
}

/* A child of fork has no timers. Its one thread has our signal stack still. */
static void opcost__in_child(void) { opcost__own = NULL; }

static void opcost__take_signals(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = opcost__on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (size_t i = 0; i < sizeof opcost__faults / sizeof *opcost__faults; i++)
    sigaction(opcost__faults[i], &action, &opcost__before[opcost__faults[i]]);
  sigaction(OPCOST_SIGNAL, &action, &opcost__before[OPCOST_SIGNAL]);
  opcost__plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  pthread_atfork(NULL, NULL, opcost__in_child);
  pthread_key_create(&opcost__key, opcost__thread_ends);
}

/* What this thread needs for turns; null when the system has none to give. */
static struct opcost__thread *opcost__thread(void) {
  struct opcost__thread *thread = opcost__own;
  struct sigevent event;
  stack_t stack;
  sigset_t set;
  if (thread) return thread;
  if (sigaltstack(NULL, &stack) != 0) return NULL;
  thread = (struct opcost__thread *)calloc(1, sizeof *thread);
  if (!thread) return NULL;
  if ((stack.ss_flags & SS_DISABLE) || stack.ss_size < OPCOST__SIGNAL_STACK / 2) {
    void *room = mmap(NULL, OPCOST__SIGNAL_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room != MAP_FAILED) {
      thread->signal_stack = room;
      stack.ss_sp = room;
      stack.ss_size = OPCOST__SIGNAL_STACK;
      stack.ss_flags = 0;
    }
    if (room == MAP_FAILED || sigaltstack(&stack, NULL) != 0) {
      opcost__thread_ends(thread);
      return NULL;
    }
  }
  thread->signal_low = (char *)stack.ss_sp;
  thread->signal_high = (char *)stack.ss_sp + stack.ss_size;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = OPCOST_SIGNAL;
  event.sigev_value.sival_ptr = &opcost__once;
  event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
  if (timer_create(CLOCK_MONOTONIC, &event, &thread->timer) != 0) {
    opcost__thread_ends(thread);
    return NULL;
  }
  thread->has_timer = 1;
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof opcost__faults / sizeof *opcost__faults; i++) sigaddset(&set, opcost__faults[i]);
  sigaddset(&set, OPCOST_SIGNAL);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  pthread_setspecific(opcost__key, thread);
  opcost__own = thread;
  return thread;
}

/* The timer signals at the deadline and then every tick, until it is told 0. */
static void opcost__set_timer(struct opcost__thread *thread, uint64_t deadline) {
  struct itimerspec when;
  memset(&when, 0, sizeof when);
  when.it_value.tv_sec = (time_t)(deadline / 1000000000);
  when.it_value.tv_nsec = (long)(deadline % 1000000000);
  if (deadline) when.it_interval.tv_nsec = OPCOST__TICK;
  timer_settime(thread->timer, TIMER_ABSTIME, &when, NULL);
}
