// Does waiting keep its meaning where clocks are held fixed? Each line says what was
// waited for and how long that took by the clock that was asked. Ends as C++ programs do that
// cannot go on, or with the signal that it sends itself.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <mutex>
#include <poll.h>
#include <semaphore.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace std::chrono;
using Clock = steady_clock;

template <class Work> static void timed(const char *what, Work work) {
  auto before = Clock::now();
  auto result = work();
  auto took = duration_cast<milliseconds>(Clock::now() - before).count();
  printf("%s: %d, %lld ms\n", what, (int)result, (long long)took);
  fflush(stdout);
}

int main(int count, char **) {
  std::mutex mutex;
  std::condition_variable changed;
  timed("sleep", [] { return sleep(5000); });
  timed("nanosleep", [] {
    timespec wanted{3, 500000000};
    return nanosleep(&wanted, nullptr);
  });
  timed("sleep_until", [] { return std::this_thread::sleep_until(system_clock::now() + 4000s), 0; });
  timed("usleep", [] { return usleep(900000); });
  timed("select", [] { timeval limit{70, 0}; return select(0, nullptr, nullptr, nullptr, &limit); });
  timed("poll", [] { return poll(nullptr, 0, 80000); });
  timed("processor", [] {
    clock_t before = clock();
    sleep(1000);
    return clock() - before < CLOCKS_PER_SEC;
  });
  timed("condition, steady", [&] {
    std::unique_lock lock(mutex);
    return changed.wait_until(lock, Clock::now() + 50ms, [] { return false; });
  });
  timed("condition, date", [&] {
    std::unique_lock lock(mutex);
    return changed.wait_until(lock, system_clock::now() + 60ms, [] { return false; });
  });
  timed("semaphore", [] {
    sem_t semaphore;
    timespec until;
    sem_init(&semaphore, 0, 0);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    return sem_timedwait(&semaphore, &until);
  });
  // Comes in time, so that the clock does not go to the deadline. It cannot come before this thread
  // waits, so that each run asks twice.
  bool is_there = false;
  std::unique_lock held(mutex);
  std::thread other([&] {
    std::unique_lock lock(mutex);
    is_there = true;
    changed.notify_one();
  });
  timed("another thread", [&] { return changed.wait_until(held, Clock::now() + 1000s, [&] { return is_there; }); });
  held.unlock();
  other.join();
  int ends[2], status = 0;
  uint64_t ours = 0, theirs = 0;
  if (pipe(ends) != 0) return 1;
  pid_t first = getpid(), child = fork();
  if (getrandom(&ours, sizeof ours, 0) != sizeof ours) return 1;
  if (child == 0) {
    if (write(ends[1], &ours, sizeof ours) != sizeof ours) return 1;
    return getppid() == first && getpid() != first && kill(first, 0) == 0 ? 7 : 8;
  }
  printf("random: %d\n", read(ends[0], &theirs, sizeof theirs) == sizeof theirs && ours != theirs);
  printf("child: %d, status %d\n", waitpid(child, &status, 0) == child, WEXITSTATUS(status));
  fflush(stdout);
  if (count == 1) std::terminate();
  kill(getpid(), SIGTERM);
  return 1;
}
