// What went wrong last.
#pragma once
#ifdef __cplusplus
extern "C"
#endif
int *__errno_location(void) __attribute__((const));
#define errno (*__errno_location())
#define EINTR 4
#define EIO 5
#define ENOMEM 12
#define EINVAL 22
#define EDOM 33
#define ERANGE 34
