/* Which functions of the C library does the runtime have itself? Those that a program may have, too.
 *
 * A program's own `strlen` or `read` comes before the library's for all that is linked with it. Were it called from
 * here, it would run where the program does not call it, and be counted. So each function below has the
 * library's name as a symbol of this object alone. What is written, and what code generation makes of copies, comes
 * here.
 *
 * Cost: plain loops; none of them is called often. Limits: calls of the system on machines that are not named
 * below, and functions that are not here (threads, `strerror`) are the program's where it has them. */
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define OPC_OWN(name) __asm__(#name) __attribute__((used))
/* Else the compiler would make a call of `memcpy` of it. */
#define OPC_PLAIN __asm__ volatile("" ::: "memory")

static void *opc_own_memcpy(void *to, const void *from, size_t size) OPC_OWN(memcpy);
static void *opc_own_memcpy(void *to, const void *from, size_t size) {
#if defined __x86_64__
    void *at = to;
    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(size)::"memory");
#else
    for (size_t at = 0; at < size; at++) {
        ((char *)to)[at] = ((const char *)from)[at];
        OPC_PLAIN;
    }
#endif
    return to;
}

static void *opc_own_memmove(void *to, const void *from, size_t size) OPC_OWN(memmove);
static void *opc_own_memmove(void *to, const void *from, size_t size) {
    if ((uintptr_t)to <= (uintptr_t)from) return opc_own_memcpy(to, from, size);
    for (size_t at = size; at > 0; at--) {
        ((char *)to)[at - 1] = ((const char *)from)[at - 1];
        OPC_PLAIN;
    }
    return to;
}

static void *opc_own_memset(void *to, int byte, size_t size) OPC_OWN(memset);
static void *opc_own_memset(void *to, int byte, size_t size) {
#if defined __x86_64__
    void *at = to;
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(size) : "a"(byte) : "memory");
#else
    for (size_t at = 0; at < size; at++) {
        ((char *)to)[at] = (char)byte;
        OPC_PLAIN;
    }
#endif
    return to;
}

static int opc_own_memcmp(const void *left, const void *right, size_t size) OPC_OWN(memcmp);
static int opc_own_memcmp(const void *left, const void *right, size_t size) {
    const unsigned char *a = left, *b = right;
    for (size_t at = 0; at < size; at++) {
        if (a[at] != b[at]) return a[at] < b[at] ? -1 : 1;
        OPC_PLAIN;
    }
    return 0;
}

static int opc_own_bcmp(const void *left, const void *right, size_t size) OPC_OWN(bcmp);
static int opc_own_bcmp(const void *left, const void *right, size_t size) { return opc_own_memcmp(left, right, size); }

static size_t opc_own_strlen(const char *text) OPC_OWN(strlen);
static size_t opc_own_strlen(const char *text) {
    size_t length = 0;
    while (text[length]) {
        length++;
        OPC_PLAIN;
    }
    return length;
}

static char *opc_own_strchr(const char *text, int wanted) OPC_OWN(strchr);
static char *opc_own_strchr(const char *text, int wanted) {
    for (;; text++) {
        if (*text == (char)wanted) return (char *)text;
        if (!*text) return NULL;
        OPC_PLAIN;
    }
}

static char *opc_own_strrchr(const char *text, int wanted) OPC_OWN(strrchr);
static char *opc_own_strrchr(const char *text, int wanted) {
    const char *last = NULL;
    for (;; text++) {
        if (*text == (char)wanted) last = text;
        if (!*text) return (char *)last;
        OPC_PLAIN;
    }
}

static int opc_own_strncmp(const char *left, const char *right, size_t most) OPC_OWN(strncmp);
static int opc_own_strncmp(const char *left, const char *right, size_t most) {
    for (size_t at = 0; at < most; at++) {
        unsigned char a = (unsigned char)left[at], b = (unsigned char)right[at];
        if (a != b) return a < b ? -1 : 1;
        if (!a) return 0;
        OPC_PLAIN;
    }
    return 0;
}

static int opc_own_strcmp(const char *left, const char *right) OPC_OWN(strcmp);
static int opc_own_strcmp(const char *left, const char *right) { return opc_own_strncmp(left, right, SIZE_MAX); }

static char *opc_own_strcpy(char *to, const char *from) OPC_OWN(strcpy);
static char *opc_own_strcpy(char *to, const char *from) { return opc_own_memcpy(to, from, opc_own_strlen(from) + 1); }

static char *opc_own_strcat(char *to, const char *from) OPC_OWN(strcat);
static char *opc_own_strcat(char *to, const char *from) {
    opc_own_strcpy(to + opc_own_strlen(to), from);
    return to;
}

static char *opc_own_strncpy(char *to, const char *from, size_t size) OPC_OWN(strncpy);
static char *opc_own_strncpy(char *to, const char *from, size_t size) {
    size_t length = opc_own_strlen(from);
    opc_own_memcpy(to, from, length < size ? length : size);
    if (length < size) opc_own_memset(to + length, 0, size - length);
    return to;
}

/* Digits of base 10, as the runtime writes them; none: 0, and nothing is passed. */
static unsigned long long opc_own_strtoull(const char *text, char **end, int base) OPC_OWN(strtoull);
static unsigned long long opc_own_strtoull(const char *text, char **end, int base) {
    unsigned long long number = 0;
    (void)base;
    for (; *text >= '0' && *text <= '9'; text++) {
        if (__builtin_mul_overflow(number, 10ull, &number)) number = ~0ull;
        if (__builtin_add_overflow(number, (unsigned long long)(*text - '0'), &number)) number = ~0ull;
        OPC_PLAIN;
    }
    if (end) *end = (char *)text;
    return number;
}

/* What the runtime writes: %s, %.Ns, %.*s, %d, %u, %llu. */
static int opc_own_vsnprintf(char *to, size_t size, const char *format, va_list arguments) {
    size_t length = 0;
#define OPC_PUT(letter) (void)(length + 1 < size ? (void)(to[length] = (letter)) : (void)0), length++
    for (; *format; format++) {
        if (*format != '%') {
            OPC_PUT(*format);
            continue;
        }
        size_t most = SIZE_MAX;
        if (*++format == '.') {
            format++;
            most = 0;
            if (*format == '*') most = (size_t)va_arg(arguments, int), format++;
            else for (; *format >= '0' && *format <= '9'; format++) most = most * 10 + (size_t)(*format - '0');
        }
        if (*format == 's') {
            const char *text = va_arg(arguments, const char *);
            for (size_t at = 0; at < most && text[at]; at++) OPC_PUT(text[at]);
            continue;
        }
        bool is_long = *format == 'l';
        while (*format == 'l') format++;
        int number = is_long ? 0 : va_arg(arguments, int);
        unsigned long long rest = is_long ? va_arg(arguments, unsigned long long)
                                          : *format == 'd' && number < 0 ? 0ull - (unsigned long long)number : (unsigned)number;
        if (!is_long && *format == 'd' && number < 0) OPC_PUT('-');
        char digits[20];
        int count = 0;
        do digits[count++] = (char)('0' + rest % 10);
        while (rest /= 10);
        while (count) OPC_PUT(digits[--count]);
    }
#undef OPC_PUT
    if (size) to[length < size ? length : size - 1] = 0;
    return (int)length;
}

static int opc_own_snprintf(char *to, size_t size, const char *format, ...) OPC_OWN(snprintf)
    __attribute__((format(printf, 3, 4)));
static int opc_own_snprintf(char *to, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = opc_own_vsnprintf(to, size, format, arguments);
    va_end(arguments);
    return length;
}

static int opc_own_sigfillset(void *set) OPC_OWN(sigfillset);
static int opc_own_sigfillset(void *set) {
    opc_own_memset(set, 0xff, sizeof(sigset_t));
    return 0;
}

#if defined __linux__ && (defined __x86_64__ && !defined __ILP32__ || defined __aarch64__ || defined __riscv && __riscv_xlen == 64)
static long opc_own_call(long number, long a, long b, long c, long d, long e, long f) {
#if defined __x86_64__
    long result = number;
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    register long sixth __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
#elif defined __aarch64__
    register long result __asm__("x0") = a;
    register long second __asm__("x1") = b;
    register long third __asm__("x2") = c;
    register long fourth __asm__("x3") = d;
    register long fifth __asm__("x4") = e;
    register long sixth __asm__("x5") = f;
    register long what __asm__("x8") = number;
    __asm__ volatile("svc 0"
                     : "+r"(result)
                     : "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth), "r"(what)
                     : "memory");
#else
    register long result __asm__("a0") = a;
    register long second __asm__("a1") = b;
    register long third __asm__("a2") = c;
    register long fourth __asm__("a3") = d;
    register long fifth __asm__("a4") = e;
    register long sixth __asm__("a5") = f;
    register long what __asm__("a7") = number;
    __asm__ volatile("ecall"
                     : "+r"(result)
                     : "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth), "r"(what)
                     : "memory");
#endif
    if (result < 0 && result >= -4095) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

static long opc_own_syscall(long number, ...) OPC_OWN(syscall);
static long opc_own_syscall(long number, ...) {
    va_list arguments;
    va_start(arguments, number);
    long words[6];
    for (int at = 0; at < 6; at++) words[at] = va_arg(arguments, long);
    va_end(arguments);
    return opc_own_call(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

static int opc_own_clock_gettime(clockid_t clock, struct timespec *to) OPC_OWN(clock_gettime);
static int opc_own_clock_gettime(clockid_t clock, struct timespec *to) {
    return (int)opc_own_call(SYS_clock_gettime, clock, (long)to, 0, 0, 0, 0);
}

static int opc_own_getrlimit(int what, void *to) OPC_OWN(getrlimit);
static int opc_own_getrlimit(int what, void *to) {
    return (int)opc_own_call(SYS_prlimit64, 0, what, 0, (long)to, 0, 0);
}

static int opc_own_stat(const char *path, void *to) OPC_OWN(stat);
static int opc_own_stat(const char *path, void *to) {
    return (int)opc_own_call(SYS_newfstatat, AT_FDCWD, (long)path, (long)to, 0, 0, 0);
}

static int opc_own_open(const char *path, int flags, ...) OPC_OWN(open);
static int opc_own_open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
    va_end(arguments);
    return (int)opc_own_call(SYS_openat, AT_FDCWD, (long)path, flags, mode, 0, 0);
}

static int opc_own_close(int file) OPC_OWN(close);
static int opc_own_close(int file) { return (int)opc_own_call(SYS_close, file, 0, 0, 0, 0, 0); }

static ssize_t opc_own_read(int file, void *to, size_t size) OPC_OWN(read);
static ssize_t opc_own_read(int file, void *to, size_t size) {
    return opc_own_call(SYS_read, file, (long)to, (long)size, 0, 0, 0);
}

static ssize_t opc_own_write(int file, const void *from, size_t size) OPC_OWN(write);
static ssize_t opc_own_write(int file, const void *from, size_t size) {
    return opc_own_call(SYS_write, file, (long)from, (long)size, 0, 0, 0);
}

static int opc_own_unlink(const char *path) OPC_OWN(unlink);
static int opc_own_unlink(const char *path) {
    return (int)opc_own_call(SYS_unlinkat, AT_FDCWD, (long)path, 0, 0, 0, 0);
}

static ssize_t opc_own_readlink(const char *path, char *to, size_t size) OPC_OWN(readlink);
static ssize_t opc_own_readlink(const char *path, char *to, size_t size) {
    return opc_own_call(SYS_readlinkat, AT_FDCWD, (long)path, (long)to, (long)size, 0, 0);
}

static int opc_own_ftruncate(int file, off_t size) OPC_OWN(ftruncate);
static int opc_own_ftruncate(int file, off_t size) {
    return (int)opc_own_call(SYS_ftruncate, file, (long)size, 0, 0, 0, 0);
}

static void *opc_own_mmap(void *at, size_t size, int may, int flags, int file, off_t from) OPC_OWN(mmap);
static void *opc_own_mmap(void *at, size_t size, int may, int flags, int file, off_t from) {
    return (void *)opc_own_call(SYS_mmap, (long)at, (long)size, may, flags, file, (long)from);
}

static int opc_own_munmap(void *at, size_t size) OPC_OWN(munmap);
static int opc_own_munmap(void *at, size_t size) {
    return (int)opc_own_call(SYS_munmap, (long)at, (long)size, 0, 0, 0, 0);
}
#endif
