// What time is it?
//
// At the first question 2001-09-09 01:46:40 UTC, which is 10^9 seconds, and ten
// microseconds later at each question, whichever clock is asked. Sleep does
// not wait: it sets the clocks that run while a program sleeps forward by what
// it would have waited. Clocks of the processor stand still meanwhile.
//
// A child of fork has a clock of its own, which begins where its parent's was.
// Of several threads the order of questions is as it comes.
//
// A wait of several threads with a deadline waits by the real clock for as long as is
// left of it by ours; at its end ours is set to the deadline.
//
// Limits: processor instructions (rdtsc) are not asked here, nor are the times
// of files; alarms and timers come by the real clock.
#include "deterministic.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <threads.h>

#define OPC_SECOND INT64_C(1000000000)
#define OPC_BEGIN INT64_C(1000000000)
#define OPC_STEP INT64_C(10000)
// What a machine that was just started says; less than any real one does, so a
// deadline by our clock that goes by the real one is over and never far away.
#define OPC_SINCE_START INT64_C(1)

// Nanoseconds by questions, and by sleep.
static int64_t opc_asked, opc_slept;

static int64_t opc_processor_now(void) { return __atomic_add_fetch(&opc_asked, OPC_STEP, __ATOMIC_RELAXED); }

// Nanoseconds that such a clock says when it is at `ran` of this world.
static int64_t opc_reading(bool is_date, int64_t ran) {
  return ran + (is_date ? OPC_BEGIN : OPC_SINCE_START) * OPC_SECOND;
}

static int64_t opc_wall_now(bool is_date) {
  return opc_reading(is_date, opc_processor_now() + __atomic_load_n(&opc_slept, __ATOMIC_RELAXED));
}

static void opc_sleep(int64_t nanoseconds) {
  if (nanoseconds > 0) __atomic_add_fetch(&opc_slept, nanoseconds, __ATOMIC_RELAXED);
}

static struct timespec opc_split(int64_t nanoseconds) {
  return (struct timespec){.tv_sec = nanoseconds / OPC_SECOND, .tv_nsec = nanoseconds % OPC_SECOND};
}

static int64_t opc_join(const struct timespec *time) { return time->tv_sec * OPC_SECOND + time->tv_nsec; }

static bool opc_is_time(const struct timespec *time) {
  // More than the 200 years that fit is forever.
  return time->tv_sec >= 0 && time->tv_sec < INT64_C(6000000000) && time->tv_nsec >= 0 && time->tv_nsec < OPC_SECOND;
}

// ---- questions ---------------------------------------------------------------

int opc_clock(clockid_t clock, struct timespec *now) {
  switch (clock) {
  case CLOCK_REALTIME:
  case CLOCK_REALTIME_COARSE:
  case CLOCK_TAI:
  case CLOCK_REALTIME_ALARM: *now = opc_split(opc_wall_now(true)); return 0;
  case CLOCK_MONOTONIC:
  case CLOCK_MONOTONIC_RAW:
  case CLOCK_MONOTONIC_COARSE:
  case CLOCK_BOOTTIME:
  case CLOCK_BOOTTIME_ALARM: *now = opc_split(opc_wall_now(false)); return 0;
  default: break;
  }
  // Those of other threads and processes have negative numbers.
  if (clock > CLOCK_TAI) return errno = EINVAL, -1;
  *now = opc_split(opc_processor_now());
  return 0;
}

OPC_OPEN int clock_gettime(clockid_t clock, struct timespec *now) { return opc_clock(clock, now); }
OPC_OPEN int clock_getres(clockid_t clock, struct timespec *step) {
  if (clock > CLOCK_TAI) return errno = EINVAL, -1;
  if (step) *step = (struct timespec){.tv_nsec = 1};
  return 0;
}
OPC_OPEN int timespec_get(struct timespec *now, int base) {
  if (base != TIME_UTC) return 0;
  *now = opc_split(opc_wall_now(true));
  return base;
}
OPC_OPEN time_t time(time_t *now) {
  time_t seconds = opc_wall_now(true) / OPC_SECOND;
  if (now) *now = seconds;
  return seconds;
}
OPC_OPEN int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  if (zone) memset(zone, 0, sizeof(struct timezone));
  struct timespec time = opc_split(opc_wall_now(true));
  *now = (struct timeval){.tv_sec = time.tv_sec, .tv_usec = time.tv_nsec / 1000};
  return 0;
}
// As <sys/timeb.h> had it, before it went.
struct opc_timeb {
  time_t time;
  unsigned short milliseconds;
  short zone, is_summer;
};
OPC_OPEN int ftime(struct opc_timeb *now) {
  struct timespec time = opc_split(opc_wall_now(true));
  *now = (struct opc_timeb){.time = time.tv_sec, .milliseconds = (unsigned short)(time.tv_nsec / 1000000)};
  return 0;
}
OPC_OPEN clock_t clock(void) { return (clock_t)(opc_processor_now() / (OPC_SECOND / CLOCKS_PER_SEC)); }
OPC_OPEN clock_t times(struct tms *spent) {
  int64_t tick = OPC_SECOND / sysconf(_SC_CLK_TCK), ran = opc_processor_now();
  if (spent) *spent = (struct tms){.tms_utime = ran / tick};
  return (clock_t)(opc_reading(false, ran + __atomic_load_n(&opc_slept, __ATOMIC_RELAXED)) / tick);
}
// Time is all that it tells: memory, faults and switches are the machine's.
OPC_OPEN int getrusage(__rusage_who_t who, struct rusage *usage) {
  if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN && who != RUSAGE_THREAD) return errno = EINVAL, -1;
  memset(usage, 0, sizeof *usage);
  if (who == RUSAGE_CHILDREN) return 0;
  struct timespec ran = opc_split(opc_processor_now());
  usage->ru_utime = (struct timeval){.tv_sec = ran.tv_sec, .tv_usec = ran.tv_nsec / 1000};
  return 0;
}

// ---- sleep -------------------------------------------------------------------

OPC_OPEN unsigned sleep(unsigned seconds) { return opc_sleep(seconds * OPC_SECOND), 0; }
OPC_OPEN int usleep(useconds_t microseconds) { return opc_sleep(microseconds * INT64_C(1000)), 0; }
OPC_OPEN int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left) {
  struct timespec now;
  (void)left;
  if (!opc_is_time(wanted)) return EINVAL;
  if (!(flags & TIMER_ABSTIME)) return opc_sleep(opc_join(wanted)), 0;
  if (opc_clock(clock, &now) != 0) return EINVAL;
  return opc_sleep(opc_join(wanted) - opc_join(&now)), 0;
}
OPC_OPEN int nanosleep(const struct timespec *wanted, struct timespec *left) {
  int error = clock_nanosleep(CLOCK_REALTIME, 0, wanted, left);
  return error ? (errno = error, -1) : 0;
}
OPC_OPEN int thrd_sleep(const struct timespec *wanted, struct timespec *left) {
  return clock_nanosleep(CLOCK_REALTIME, 0, wanted, left) ? -2 : 0;
}
// Waiting for nothing but time is sleep too.
OPC_OPEN int select(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict odd,
                    struct timeval *restrict limit) {
  if (count > 0 || !limit) return OPC_NEXT(select)(count, in, out, odd, limit);
  opc_sleep(limit->tv_sec * OPC_SECOND + limit->tv_usec * INT64_C(1000));
  *limit = (struct timeval){0};
  return 0;
}
OPC_OPEN int poll(struct pollfd *list, nfds_t count, int limit) {
  if (count > 0 || limit < 0) return OPC_NEXT(poll)(list, count, limit);
  return opc_sleep(limit * INT64_C(1000000)), 0;
}

// ---- deadlines ---------------------------------------------------------------

// The real time at which a wait ends that ends at `deadline` by our clock. Which
// clock it goes by is seen from its size: nobody sets it to 30 years ago.
static struct timespec opc_really(const struct timespec *deadline, bool *is_date, int64_t *left) {
  struct timespec now;
  *is_date = deadline->tv_sec >= OPC_BEGIN / 2;
  *left = opc_join(deadline) - opc_wall_now(*is_date);
  opc_kernel(SYS_clock_gettime, *is_date ? CLOCK_REALTIME : CLOCK_MONOTONIC, (long)&now, 0);
  return opc_split(opc_join(&now) + (*left > 0 ? *left : 0));
}

#define OPC_WAIT(deadline, call, timed_out)                                                                            \
  bool is_date;                                                                                                        \
  int64_t left;                                                                                                        \
  if (!opc_is_time(deadline)) {                                                                                        \
    const struct timespec *until = deadline;                                                                           \
    return call;                                                                                                       \
  }                                                                                                                    \
  struct timespec real = opc_really(deadline, &is_date, &left);                                                        \
  const struct timespec *until = &real;                                                                                \
  int result = call;                                                                                                   \
  if (timed_out) opc_sleep(opc_join(deadline) - opc_wall_now(is_date));                                                \
  return result

typedef int opc_timedwait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

// The oldest of this name is another one, for conditions of another size.
static opc_timedwait *opc_next_timedwait(void) {
  static opc_timedwait *next;
  opc_timedwait *found = __atomic_load_n(&next, __ATOMIC_RELAXED);
  if (found) return found;
  found = (opc_timedwait *)dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (!found) found = (opc_timedwait *)dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  __atomic_store_n(&next, found, __ATOMIC_RELAXED);
  return found;
}

OPC_OPEN int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                                    const struct timespec *restrict deadline) {
  OPC_WAIT(deadline, opc_next_timedwait()(condition, mutex, until), result == ETIMEDOUT);
}
OPC_OPEN int pthread_cond_clockwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                                    clockid_t clock, const struct timespec *restrict deadline) {
  OPC_WAIT(deadline, OPC_NEXT(pthread_cond_clockwait)(condition, mutex, clock, until), result == ETIMEDOUT);
}
OPC_OPEN int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict deadline) {
  OPC_WAIT(deadline, OPC_NEXT(sem_timedwait)(semaphore, until), result == -1 && errno == ETIMEDOUT);
}
