// The system's functions. Not there but for `_exit`; declared, so that whoever uses
// them is told by name.
#pragma once
#include <sys/types.h>
#ifdef __cplusplus
extern "C" {
#endif
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
void _exit(int) __attribute__((noreturn));
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
off_t lseek(int, off_t, int);
int close(int);
int unlink(const char *);
int access(const char *, int);
int isatty(int);
unsigned sleep(unsigned);
int usleep(useconds_t);
unsigned alarm(unsigned);
pid_t fork(void);
pid_t getpid(void);
long sysconf(int);
long syscall(long, ...);
#ifdef __cplusplus
}
#endif
