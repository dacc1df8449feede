// What of the C library would a bot share with its host, and what has it
// instead?
//
// Streams: what is printed lies in a buffer of the instance, which the host
// can read; input is at its end, and no file opens. Ends of the process end the
// turn. Random numbers are the C library's own (the additive feedback of
// `random`, seeded with 1), from a state of the instance. Sorting calls the
// comparator as often and in the order as glibc's merge sort does, with memory
// of the instance. Destructors are taken and forgotten: nothing of a dropped
// bot runs. What the C++ library keeps for each thread is kept for the
// instance, and its locks for static variables are flags, since an instance
// has one thread; the C library's own word on whether there are more says so
// too, or what a bot spends would depend on its host's threads.
//
// A bot may define any of these names itself, as in a program of its own.
#include "plugin.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#define OWN __attribute__((visibility("hidden"), weak))

extern int vsnprintf(char *to, size_t size, const char *format, va_list arguments);
extern void *malloc(size_t bytes);
extern void free(void *memory);
extern char *strtok_r(char *text, const char *stops, char **rest);

// ---- ends --------------------------------------------------------------------

OWN _Noreturn void abort(void) { opc_crash(SIGABRT, "abort", NULL); }
OWN _Noreturn void exit(int status) {
  (void)status;
  opc_crash(0, "exit", NULL);
}
OWN _Noreturn void _exit(int status) { exit(status); }
OWN _Noreturn void _Exit(int status) { exit(status); }
OWN _Noreturn void quick_exit(int status) { exit(status); }
OWN _Noreturn void __stack_chk_fail(void) { opc_crash(SIGABRT, "stack smashing", NULL); }
OWN _Noreturn void __chk_fail(void) { opc_crash(SIGABRT, "buffer overflow", NULL); }
OWN _Noreturn void __assert_fail(const char *text, const char *file, unsigned line, const char *function) {
  static struct opcost_site site;
  site = (struct opcost_site){function ? function : "", file, line};
  opc_crash(SIGABRT, text, &site);
}
OWN _Noreturn void __cxa_pure_virtual(void) { opc_crash(SIGABRT, "pure virtual call", NULL); }
// std::terminate's first handler; the library's own would print the name.
static void terminated(void) { opc_crash(SIGABRT, "terminate", NULL); }
OWN void (*opc_terminate_handler)(void) __asm__("_ZN10__cxxabiv119__terminate_handlerE") = terminated;

OWN int atexit(void (*function)(void)) { return (void)function, 0; }
OWN int at_quick_exit(void (*function)(void)) { return (void)function, 0; }
OWN int __cxa_atexit(void (*function)(void *), void *argument, void *library) {
  return (void)function, (void)argument, (void)library, 0;
}
OWN int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *library) {
  return (void)function, (void)argument, (void)library, 0;
}
OWN int __cxa_thread_atexit(void (*function)(void *), void *argument, void *library) {
  return (void)function, (void)argument, (void)library, 0;
}

OWN char __libc_single_threaded = 1;

// ---- C++ ---------------------------------------------------------------------

// Exceptions in flight.
static struct {
  void *caught;
  unsigned uncaught;
} exceptions;
OWN void *__cxa_get_globals(void) { return &exceptions; }
OWN void *__cxa_get_globals_fast(void) { return &exceptions; }

// Static variables of functions: the first byte says ready, the second begun.
OWN int __cxa_guard_acquire(char *guard) {
  if (guard[0]) return 0;
  if (guard[1]) opc_crash(SIGABRT, "a static variable needs itself to begin", NULL);
  return guard[1] = 1;
}
OWN void __cxa_guard_release(char *guard) { guard[1] = 0, guard[0] = 1; }
OWN void __cxa_guard_abort(char *guard) { guard[1] = 0; }

// What std::call_once passes on to pthread_once: for each thread in the library.
OWN void *opc_once_callable __asm__("_ZSt15__once_callable");
OWN void (*opc_once_call)(void) __asm__("_ZSt11__once_call");
OWN void __once_proxy(void) { opc_once_call(); }

// Texts are not translated; locales but "C" are not there.
OWN char *gettext(const char *text) { return (char *)text; }
OWN char *dgettext(const char *domain, const char *text) { return (void)domain, (char *)text; }
OWN char *dcgettext(const char *domain, const char *text, int category) {
  return (void)domain, (void)category, (char *)text;
}
OWN char *bind_textdomain_codeset(const char *domain, const char *codeset) {
  return (void)domain, (void)codeset, (char *)NULL;
}
OWN char *setlocale(int category, const char *name) {
  (void)category;
  return !name || !*name || !strcmp(name, "C") || !strcmp(name, "POSIX") ? (char *)"C" : NULL;
}
extern void *newlocale(int mask, const char *name, void *base);
OWN void *__newlocale(int mask, const char *name, void *base) {
  (void)base;
  // The C library answers this one from a table.
  if (!strcmp(name, "C") || !strcmp(name, "POSIX")) return newlocale(mask, "C", NULL);
  errno = ENOENT;
  return NULL;
}
OWN void *__duplocale(void *locale) { return locale; }
OWN void __freelocale(void *locale) { (void)locale; }
OWN void *__uselocale(void *locale) { return (void)locale, (void *)-1; }
OWN void *iconv_open(const char *to, const char *from) {
  (void)to, (void)from;
  errno = EINVAL;
  return (void *)-1;
}
OWN size_t iconv(void *how, char **from, size_t *left, char **to, size_t *room) {
  (void)how, (void)from, (void)left, (void)to, (void)room;
  errno = EBADF;
  return (size_t)-1;
}
OWN int iconv_close(void *how) { return (void)how, 0; }

// ---- random numbers ------------------------------------------------------------

#define DEGREE 31
#define APART 3
static struct {
  int32_t words[DEGREE];
  unsigned at;
  int is_seeded;
} dice;

OWN long random(void);
OWN void srandom(unsigned seed) {
  int32_t word = seed ? (int32_t)seed : 1;
  dice.is_seeded = 1;
  dice.at = 0;
  for (int i = 0; i < DEGREE; i++) {
    dice.words[i] = word;
    word = (int32_t)((int64_t)word * 16807 % 2147483647);
    if (word < 0) word += 2147483647;
  }
  for (int i = 0; i < 10 * DEGREE; i++) random();
}
OWN long random(void) {
  if (!dice.is_seeded) srandom(1);
  uint32_t *front = (uint32_t *)&dice.words[(dice.at + APART) % DEGREE];
  *front += (uint32_t)dice.words[dice.at];
  dice.at = (dice.at + 1) % DEGREE;
  return (long)(*front >> 1);
}
OWN void srand(unsigned seed) { srandom(seed); }
OWN int rand(void) { return (int)random(); }

// ---- sorting -------------------------------------------------------------------

typedef int comparator(const void *, const void *, void *);

static void merge(char *items, size_t count, size_t size, comparator *compare, void *how, char *room) {
  if (count <= 1) return;
  size_t left = count / 2, right = count - left;
  char *a = items, *b = items + left * size, *to = room;
  merge(a, left, size, compare, how, room);
  merge(b, right, size, compare, how, room);
  for (; left > 0 && right > 0; to += size) {
    if (compare(a, b, how) <= 0) {
      memcpy(to, a, size);
      a += size, left--;
    } else {
      memcpy(to, b, size);
      b += size, right--;
    }
  }
  memcpy(to, a, left * size);
  memcpy(items, room, (count - right) * size);
}
OWN void qsort_r(void *items, size_t count, size_t size, comparator *compare, void *how) {
  size_t bytes;
  if (count <= 1) return;
  char *room = __builtin_mul_overflow(count, size, &bytes) ? NULL : malloc(bytes);
  if (!room) opc_crash(SIGABRT, "no memory to sort with", NULL);
  merge(items, count, size, compare, how, room);
  free(room);
}
static int plainly(const void *a, const void *b, void *how) {
  return (*(int (**)(const void *, const void *))how)(a, b);
}
OWN void qsort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  qsort_r(items, count, size, plainly, &compare);
}

OWN char *strtok(char *text, const char *stops) {
  static char *rest;
  return strtok_r(text, stops, &rest);
}

// ---- streams -------------------------------------------------------------------

typedef struct {
  int number;
} stream;
static stream streams[3] = {{0}, {1}, {2}};
OWN stream *opc_stdin __asm__("stdin") = &streams[0];
OWN stream *opc_stdout __asm__("stdout") = &streams[1];
OWN stream *opc_stderr __asm__("stderr") = &streams[2];

static char printed[65536];

static void print(const char *bytes, size_t count) {
  size_t room = sizeof printed - opcost_plugin.output_used;
  size_t fitting = count < room ? count : room;
  opcost_plugin.output = printed;
  opcost_plugin.output_size = sizeof printed;
  memcpy(printed + opcost_plugin.output_used, bytes, fitting);
  opcost_plugin.output_used += fitting;
  opcost_plugin.output_lost += count - fitting;
}

// Formats into what is left of the buffer, and counts what does not fit.
static int vprint(const char *format, va_list arguments) {
  size_t room = sizeof printed - opcost_plugin.output_used;
  char last[1];
  opcost_plugin.output = printed;
  opcost_plugin.output_size = sizeof printed;
  int count = vsnprintf(room ? printed + opcost_plugin.output_used : last, room ? room : 1, format, arguments);
  if (count < 0) return count;
  // The terminator takes one byte of the room.
  size_t fitting = (size_t)count < room ? (size_t)count : room ? room - 1 : 0;
  opcost_plugin.output_used += fitting;
  opcost_plugin.output_lost += (size_t)count - fitting;
  return count;
}
#define FORMATTED(call)                                                                                                \
  va_list arguments;                                                                                                   \
  va_start(arguments, format);                                                                                         \
  int count = call;                                                                                                    \
  va_end(arguments);                                                                                                   \
  return count

OWN int vprintf(const char *format, va_list arguments) { return vprint(format, arguments); }
OWN int vfprintf(stream *to, const char *format, va_list arguments) { return (void)to, vprint(format, arguments); }
OWN int printf(const char *format, ...) { FORMATTED(vprint(format, arguments)); }
OWN int fprintf(stream *to, const char *format, ...) {
  (void)to;
  FORMATTED(vprint(format, arguments));
}
OWN int __printf_chk(int flag, const char *format, ...) {
  (void)flag;
  FORMATTED(vprint(format, arguments));
}
OWN int __fprintf_chk(stream *to, int flag, const char *format, ...) {
  (void)to, (void)flag;
  FORMATTED(vprint(format, arguments));
}
OWN int __vprintf_chk(int flag, const char *format, va_list arguments) { return (void)flag, vprint(format, arguments); }
OWN int __vfprintf_chk(stream *to, int flag, const char *format, va_list arguments) {
  return (void)to, (void)flag, vprint(format, arguments);
}
OWN size_t fwrite(const void *bytes, size_t size, size_t count, stream *to) {
  (void)to;
  print(bytes, size * count);
  return count;
}
OWN size_t fwrite_unlocked(const void *bytes, size_t size, size_t count, stream *to) {
  return fwrite(bytes, size, count, to);
}
OWN int fputs(const char *text, stream *to) { return (void)to, print(text, strlen(text)), 1; }
OWN int puts(const char *text) { return print(text, strlen(text)), print("\n", 1), 1; }
OWN int fputc(int letter, stream *to) {
  char byte = (char)letter;
  (void)to;
  print(&byte, 1);
  return (unsigned char)letter;
}
OWN int putc(int letter, stream *to) { return fputc(letter, to); }
OWN int _IO_putc(int letter, stream *to) { return fputc(letter, to); }
OWN int putc_unlocked(int letter, stream *to) { return fputc(letter, to); }
OWN int putchar(int letter) { return fputc(letter, NULL); }
OWN int putchar_unlocked(int letter) { return fputc(letter, NULL); }
OWN int putwc(int letter, stream *to) { return fputc(letter < 128 ? letter : '?', to), letter; }
OWN int fflush(stream *to) { return (void)to, 0; }
OWN int setvbuf(stream *to, char *room, int mode, size_t size) {
  return (void)to, (void)room, (void)mode, (void)size, 0;
}
OWN void setbuf(stream *to, char *room) { (void)to, (void)room; }
OWN char *strerror(int number) { return (void)number, (char *)"error"; }
OWN void perror(const char *text) { print(text ? text : "", text ? strlen(text) : 0), print(": error\n", 8); }

// There is nothing to read.
OWN int fgetc(stream *from) { return (void)from, -1; }
OWN int getc(stream *from) { return (void)from, -1; }
OWN int _IO_getc(stream *from) { return (void)from, -1; }
OWN int getchar(void) { return -1; }
OWN int getchar_unlocked(void) { return -1; }
OWN int getwc(stream *from) { return (void)from, -1; }
OWN int ungetc(int letter, stream *to) { return (void)letter, (void)to, -1; }
OWN int ungetwc(int letter, stream *to) { return (void)letter, (void)to, -1; }
OWN char *fgets(char *to, int size, stream *from) { return (void)to, (void)size, (void)from, (char *)NULL; }
OWN ssize_t getline(char **to, size_t *size, stream *from) { return (void)to, (void)size, (void)from, -1; }
OWN size_t fread(void *to, size_t size, size_t count, stream *from) {
  return (void)to, (void)size, (void)count, (void)from, 0;
}
OWN int scanf(const char *format, ...) { return (void)format, -1; }
OWN int __isoc99_scanf(const char *format, ...) { return (void)format, -1; }
OWN int __isoc23_scanf(const char *format, ...) { return (void)format, -1; }
OWN int fscanf(stream *from, const char *format, ...) { return (void)from, (void)format, -1; }
OWN int __isoc99_fscanf(stream *from, const char *format, ...) { return (void)from, (void)format, -1; }
OWN int __isoc23_fscanf(stream *from, const char *format, ...) { return (void)from, (void)format, -1; }
OWN int feof(stream *from) { return from == &streams[0]; }
OWN int ferror(stream *from) { return (void)from, 0; }
OWN void clearerr(stream *from) { (void)from; }
OWN int fileno(stream *from) { return from->number; }
OWN int isatty(int number) { return (void)number, 0; }

// No file is there, and no place to seek to.
static long refused(int error) { return errno = error, -1; }
OWN stream *fopen(const char *path, const char *mode) { return (void)path, (void)mode, refused(EACCES), NULL; }
OWN stream *fopen64(const char *path, const char *mode) { return fopen(path, mode); }
OWN stream *fdopen(int number, const char *mode) {
  (void)mode;
  return number >= 0 && number < 3 ? &streams[number] : (refused(EBADF), (stream *)NULL);
}
OWN int fclose(stream *from) { return (void)from, 0; }
OWN int fseeko64(stream *in, int64_t to, int from) { return (void)in, (void)to, (void)from, (int)refused(ESPIPE); }
OWN int64_t ftello64(stream *in) { return (void)in, refused(ESPIPE); }
OWN int fseek(stream *in, long to, int from) { return (void)in, (void)to, (void)from, (int)refused(ESPIPE); }
OWN long ftell(stream *in) { return (void)in, refused(ESPIPE); }
OWN int64_t lseek64(int in, int64_t to, int from) { return (void)in, (void)to, (void)from, refused(ESPIPE); }
OWN int64_t lseek(int in, int64_t to, int from) { return (void)in, (void)to, (void)from, refused(ESPIPE); }
OWN ssize_t read(int from, void *to, size_t size) {
  (void)to, (void)size;
  return from == 0 ? 0 : refused(EBADF);
}
OWN ssize_t write(int to, const void *bytes, size_t size) {
  if (to != 1 && to != 2) return refused(EBADF);
  print(bytes, size);
  return (ssize_t)size;
}
struct piece {
  void *bytes;
  size_t size;
};
OWN ssize_t writev(int to, const struct piece *pieces, int count) {
  ssize_t all = 0;
  for (int i = 0; i < count; i++) {
    if (write(to, pieces[i].bytes, pieces[i].size) < 0) return -1;
    all += (ssize_t)pieces[i].size;
  }
  return all;
}
OWN int open(const char *path, int flags, ...) { return (void)path, (void)flags, (int)refused(EACCES); }
OWN int open64(const char *path, int flags, ...) { return (void)path, (void)flags, (int)refused(EACCES); }
OWN int close(int number) { return (void)number, 0; }
OWN int ioctl(int number, unsigned long what, ...) { return (void)number, (void)what, (int)refused(ENOTTY); }
OWN int poll(void *list, unsigned long count, int time) { return (void)list, (void)count, (void)time, 0; }
OWN int fstat64(int number, void *about) { return (void)number, (void)about, (int)refused(EBADF); }
OWN char *getenv(const char *name) { return (void)name, (char *)NULL; }
OWN char *secure_getenv(const char *name) { return (void)name, (char *)NULL; }
