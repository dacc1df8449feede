// Semaphores. Not there; declared, so that whoever uses them is told by name.
#pragma once
#include <time.h>
#ifdef __cplusplus
extern "C" {
#endif
#define SEM_VALUE_MAX 2147483647
typedef union { char opc_bytes[32]; long opc_alignment; } sem_t;
int sem_init(sem_t *, int, unsigned);
int sem_destroy(sem_t *);
int sem_wait(sem_t *);
int sem_trywait(sem_t *);
int sem_timedwait(sem_t *, const struct timespec *);
int sem_clockwait(sem_t *, clockid_t, const struct timespec *);
int sem_post(sem_t *);
int sem_getvalue(sem_t *, int *);
#ifdef __cplusplus
}
#endif
