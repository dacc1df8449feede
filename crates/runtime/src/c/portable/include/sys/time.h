// A clock. Not there; declared, so that whoever uses it is told by name.
#pragma once
#include <sys/types.h>
#ifdef __cplusplus
extern "C" {
#endif
struct timeval { time_t tv_sec; suseconds_t tv_usec; };
int gettimeofday(struct timeval *, void *);
#ifdef __cplusplus
}
#endif
