// Order among threads. Not there; declared, so that whoever uses it is told by name.
#pragma once
#include <time.h>
#ifdef __cplusplus
extern "C" {
#endif
struct sched_param { int sched_priority; };
int sched_yield(void);
int sched_get_priority_max(int);
int sched_get_priority_min(int);
#ifdef __cplusplus
}
#endif
