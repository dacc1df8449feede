// What differs from run to run? The argument names one source of difference; its
// value is printed, and decides how much work is done.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

extern char **environ;

using Value = uint64_t;

static Value address(const void *of) { return (Value)(uintptr_t)of; }
static Value text(const char *of) {
  Value value = 0;
  for (; *of; of++) value = value * 31 + (unsigned char)*of;
  return value;
}
static Value nanoseconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return (Value)now.tv_sec * 1000000000 + (Value)now.tv_nsec;
}
static Value asked_kernel_for_time() {
  timespec now;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  return (Value)now.tv_nsec;
}
static Value opened(const char *path) {
  Value value = 0;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || read(file, &value, sizeof value) != sizeof value) abort();
  close(file);
  return value;
}
static Value streamed(const char *path) {
  Value value = 0;
  FILE *file = fopen(path, "rb");
  if (!file || fread(&value, sizeof value, 1, file) != 1) abort();
  fclose(file);
  return value;
}
static Value read_by_cxx(const char *path) {
  Value value = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char *>(&value), sizeof value)) abort();
  return value;
}
static Value drawn() {
  Value value = 0;
  if (getrandom(&value, sizeof value, 0) != sizeof value) abort();
  return value;
}
static Value drawn_entropy() {
  Value value = 0;
  if (getentropy(&value, sizeof value) != 0) abort();
  return value;
}
static Value drawn_from_kernel() {
  Value value = 0;
  if (syscall(SYS_getrandom, &value, sizeof value, 0) != sizeof value) abort();
  return value;
}
static Value given_by_kernel() {
  Value value;
  memcpy(&value, (const void *)getauxval(AT_RANDOM), sizeof value);
  return value;
}
static Value environment() {
  Value value = 0;
  for (char **variable = environ; *variable; variable++) value = value * 37 + text(*variable);
  return value;
}
static Value microseconds() {
  timeval now;
  gettimeofday(&now, nullptr);
  return (Value)now.tv_usec;
}
// How much of the processor it took, to the microsecond, at some time of its life.
static Value usage() {
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (Value)(used.ru_utime.tv_usec + used.ru_stime.tv_usec + used.ru_minflt + used.ru_maxrss);
}

int main(int count, char **arguments) {
  int on_stack = 0;
  if (count < 2) return 2;
  void *on_heap = malloc(100), *mapped = malloc(1 << 20);
  const std::map<std::string, Value (*)()> asked = {
      {"environment", environment},
      {"random", given_by_kernel},
      {"getrandom", drawn},
      {"getentropy", drawn_entropy},
      {"syscall-getrandom", drawn_from_kernel},
      {"syscall-time", asked_kernel_for_time},
      {"gettimeofday", microseconds},
      {"getrusage", usage},
      {"urandom", [] { return opened("/dev/urandom"); }},
      {"random-stream", [] { return streamed("/dev/random"); }},
      {"urandom-ifstream", [] { return read_by_cxx("/dev/urandom"); }},
      {"random-device", [] { return (Value)std::random_device()(); }},
      {"random-device-file", [] { return (Value)std::random_device("/dev/urandom")(); }},
      {"date", [] { return nanoseconds(CLOCK_REALTIME); }},
      {"time", [] { return (Value)time(nullptr); }},
      {"monotonic", [] { return nanoseconds(CLOCK_MONOTONIC); }},
      {"chrono", [] { return (Value)std::chrono::steady_clock::now().time_since_epoch().count(); }},
      {"processor", [] { return nanoseconds(CLOCK_PROCESS_CPUTIME_ID); }},
      {"clock", [] { return (Value)clock(); }},
      {"times", [] { tms spent; return (Value)times(&spent); }},
      {"pid", [] { return (Value)getpid(); }},
      {"parent", [] { return (Value)getppid(); }},
      {"tid", [] { return (Value)gettid(); }},
      {"function", [] { return address((void *)environment); }},
      {"library", [] { return address((void *)dlsym(RTLD_DEFAULT, "strtol")); }},
      {"variant", [] { return address(dlsym(RTLD_DEFAULT, "strchr")) - address(dlsym(RTLD_DEFAULT, "strtol")); }},
      {"vdso", [] { return (Value)getauxval(AT_SYSINFO_EHDR); }},
      {"kernel-name", [] { return text((const char *)getauxval(AT_EXECFN)); }},
  };
  std::string what = arguments[1];
  Value value = what == "stack"    ? address(&on_stack)
                : what == "heap"   ? address(on_heap)
                : what == "mapped" ? address(mapped)
                : what == "name"   ? text(arguments[0])
                                   : asked.at(what)();
  printf("%llx\n", (unsigned long long)value);
  for (volatile unsigned left = (value * 0x9e3779b97f4a7c15) >> 52; left > 0; left = left - 1) {}
  return 0;
}
