// A timer of the C library calls a function of the program in a thread of its own.
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <time.h>

static sem_t is_done;
static volatile unsigned sum;

__attribute__((noinline)) static unsigned work(unsigned count) {
  unsigned result = 0;
  for (unsigned i = 0; i < count; i++) result += i ^ sum;
  return result;
}

static void on_time(union sigval value) {
  sum = work((unsigned)value.sival_int);
  sem_post(&is_done);
}

int main(void) {
  sem_init(&is_done, 0, 0);
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = on_time;
  event.sigev_value.sival_int = 100000;
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return 1;
  struct itimerspec once = {{0, 0}, {0, 1000000}};
  timer_settime(timer, 0, &once, NULL);
  unsigned own = work(50000);
  while (sem_wait(&is_done) != 0) {}
  return own == 1;
}
