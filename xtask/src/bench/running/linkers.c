/* A program that versions come into, by two ways. Requests are lines of standard input, answers are lines: nanoseconds,
 * and the kilobytes of memory that the process has.
 *
 *     touch ADDRESS BYTES   code that another process wrote into the shared file
 *     open FILE FUNCTION    a shared object, by the system's loader
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static long kilobytes(void) {
  char line[256];
  long found = -1;
  FILE *file = fopen("/proc/self/smaps_rollup", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "Pss: %ld kB", &found) == 1) break;
  if (file) fclose(file);
  return found;
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void touch(const volatile char *code, unsigned long bytes) {
  for (unsigned long at = 0; at < bytes; at += 64) (void)code[at];
  if (bytes) (void)code[bytes - 1];
}

static void open_object(const char *path, const char *name) {
  void *object = dlopen(path, RTLD_NOW), *code = object ? dlsym(object, name) : 0;
  const ElfW(Sym) *symbol = 0;
  Dl_info info;
  if (!code || !dladdr1(code, &info, (void **)&symbol, RTLD_DL_SYMENT)) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  touch(code, symbol->st_size);
}

int main(int count, char **words) {
  static char line[8192], path[4096], name[4096];
  int file = count == 3 ? open(words[1], O_RDWR | O_CLOEXEC) : -1;
  unsigned long address = count == 3 ? strtoul(words[2], 0, 16) : 0, bytes;
  int flags = MAP_SHARED | MAP_FIXED_NOREPLACE;
  if (file < 0 || mmap((void *)address, 32 << 20, PROT_READ | PROT_EXEC, flags, file, 0) == MAP_FAILED) return 2;
  kilobytes();
  while (fgets(line, sizeof line, stdin)) {
    long long begun = now();
    if (sscanf(line, "touch %lx %lu", &address, &bytes) == 2)
      touch((const char *)address, bytes);
    else if (sscanf(line, "open %4095s %4095s", path, name) == 2)
      open_object(path, name);
    long long took = now() - begun;
    printf("%lld %ld\n", took, kilobytes());
    fflush(stdout);
  }
  return 0;
}
