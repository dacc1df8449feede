// Which random numbers does a program get?
//
// One stream for all who ask: splitmix64 (Steele, Lea, Flood, OOPSLA 2014) from a
// fixed seed, which a child of fork leaves by a fixed step. Devices are read
// from a file in memory that holds the stream's next mebibyte, since the C
// library reads streams by system calls of its own.
//
// Limits: to whoever looks, a device is a plain file, and it ends after a
// mebibyte. The processor's own instructions (rdrand, rdseed) are not asked here
// unless through std::random_device. What the C library draws for itself
// (names of temporary files, the key of its heap's lists) is as random as ever.
#include "deterministic.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/random.h>

#define OPC_GOLDEN UINT64_C(0x9e3779b97f4a7c15)
#define OPC_DEVICE (1u << 20)

static uint64_t opc_stream;
static uint64_t opc_children;

static uint64_t opc_next(void) {
  uint64_t word = __atomic_add_fetch(&opc_stream, OPC_GOLDEN, __ATOMIC_RELAXED);
  word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
  return word ^ (word >> 31);
}

void opc_random(void *to, size_t bytes) {
  for (char *at = to; bytes > 0;) {
    uint64_t word = opc_next();
    size_t part = bytes < sizeof word ? bytes : sizeof word;
    memcpy(at, &word, part);
    at += part;
    bytes -= part;
  }
}

// Parent and child go on with different numbers.
static void opc_in_parent(void) { opc_children++; }
static void opc_in_child(void) { opc_stream ^= ++opc_children * UINT64_C(0xd1342543de82ef95); }
__attribute__((constructor)) static void opc_watch_fork(void) {
  // Not atfork's first step: it would run in both.
  pthread_atfork(NULL, opc_in_parent, opc_in_child);
}

// ---- calls -------------------------------------------------------------------

OPC_OPEN ssize_t getrandom(void *to, size_t bytes, unsigned flags) {
  (void)flags;
  if (bytes > 33554431) bytes = 33554431;
  opc_random(to, bytes);
  return (ssize_t)bytes;
}
OPC_OPEN int getentropy(void *to, size_t bytes) {
  if (bytes > 256) return errno = EIO, -1;
  opc_random(to, bytes);
  return 0;
}
OPC_OPEN uint32_t arc4random(void) { return (uint32_t)opc_next(); }
OPC_OPEN void arc4random_buf(void *to, size_t bytes) { opc_random(to, bytes); }
OPC_OPEN uint32_t arc4random_uniform(uint32_t bound) {
  return (uint32_t)((opc_next() >> 32) * bound >> 32);
}
// std::random_device, of both standard libraries' forms of strings.
OPC_OPEN unsigned opc_device_value(void *device) __asm__("_ZNSt13random_device9_M_getvalEv");
OPC_OPEN unsigned opc_device_value(void *device) { return (void)device, (unsigned)opc_next(); }
OPC_OPEN unsigned opc_device_value_old(void *device) __asm__("_ZNSt13random_device16_M_getval_pretr1Ev");
OPC_OPEN unsigned opc_device_value_old(void *device) { return opc_device_value(device); }

// ---- devices -----------------------------------------------------------------

static bool opc_is_device(const char *path) {
  return path && (strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0);
}

// A descriptor of a file with random bytes, or -1.
static int opc_open_device(int flags) {
  int file = memfd_create("random", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
  if (file < 0) return -1;
  void *bytes = ftruncate(file, OPC_DEVICE) == 0 ? mmap(NULL, OPC_DEVICE, PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  if (bytes == MAP_FAILED) return close(file), -1;
  opc_random(bytes, OPC_DEVICE);
  munmap(bytes, OPC_DEVICE);
  return file;
}

#define OPC_MODE(flags)                                                                                                \
  mode_t mode = 0;                                                                                                     \
  if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                                             \
    va_list rest;                                                                                                      \
    va_start(rest, flags);                                                                                             \
    mode = va_arg(rest, mode_t);                                                                                       \
    va_end(rest);                                                                                                      \
  }

OPC_OPEN int open(const char *path, int flags, ...) {
  OPC_MODE(flags)
  return opc_is_device(path) ? opc_open_device(flags) : OPC_NEXT(open)(path, flags, mode);
}
OPC_OPEN int open64(const char *path, int flags, ...) {
  OPC_MODE(flags)
  return opc_is_device(path) ? opc_open_device(flags) : OPC_NEXT(open64)(path, flags, mode);
}
OPC_OPEN int openat(int folder, const char *path, int flags, ...) {
  OPC_MODE(flags)
  return opc_is_device(path) ? opc_open_device(flags) : OPC_NEXT(openat)(folder, path, flags, mode);
}
OPC_OPEN int openat64(int folder, const char *path, int flags, ...) {
  OPC_MODE(flags)
  return opc_is_device(path) ? opc_open_device(flags) : OPC_NEXT(openat64)(folder, path, flags, mode);
}
// What these become under _FORTIFY_SOURCE.
extern int __open_2(const char *, int), __open64_2(const char *, int);
extern int __openat_2(int, const char *, int), __openat64_2(int, const char *, int);
OPC_OPEN int __open_2(const char *path, int flags) {
  return opc_is_device(path) ? opc_open_device(flags) : OPC_NEXT(__open_2)(path, flags);
}
OPC_OPEN int __open64_2(const char *path, int flags) {
  return opc_is_device(path) ? opc_open_device(flags) : OPC_NEXT(__open64_2)(path, flags);
}
OPC_OPEN int __openat_2(int folder, const char *path, int flags) {
  return opc_is_device(path) ? opc_open_device(flags) : OPC_NEXT(__openat_2)(folder, path, flags);
}
OPC_OPEN int __openat64_2(int folder, const char *path, int flags) {
  return opc_is_device(path) ? opc_open_device(flags) : OPC_NEXT(__openat64_2)(folder, path, flags);
}

static FILE *opc_open_stream(const char *how) {
  int file = opc_open_device(strchr(how, 'e') ? O_CLOEXEC : 0);
  if (file < 0) return NULL;
  FILE *stream = fdopen(file, how);
  if (!stream) close(file);
  return stream;
}
OPC_OPEN FILE *fopen(const char *restrict path, const char *restrict how) {
  return opc_is_device(path) ? opc_open_stream(how) : OPC_NEXT(fopen)(path, how);
}
OPC_OPEN FILE *fopen64(const char *restrict path, const char *restrict how) {
  return opc_is_device(path) ? opc_open_stream(how) : OPC_NEXT(fopen64)(path, how);
}
