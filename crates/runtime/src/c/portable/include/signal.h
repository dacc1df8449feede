// Signals. Not there; declared, so that whoever uses them is told by name.
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
#define SIGINT 2
#define SIGILL 4
#define SIGABRT 6
#define SIGFPE 8
#define SIGSEGV 11
#define SIGALRM 14
#define SIGTERM 15
typedef int sig_atomic_t;
typedef void (*sighandler_t)(int);
#define SIG_DFL ((sighandler_t)0)
#define SIG_IGN ((sighandler_t)1)
#define SIG_ERR ((sighandler_t)-1)
sighandler_t signal(int, sighandler_t);
int raise(int);
#ifdef __cplusplus
}
#endif
