// Bytes and texts.
#pragma once
#include <stddef.h>
#include <strings.h>

// C++ tells constant texts from others.
#ifdef __cplusplus
#define OPC_FIND(type, function, ...)                                     \
  extern "C++" type *function(type *, __VA_ARGS__) __asm__(#function); \
  extern "C++" const type *function(const type *, __VA_ARGS__) __asm__(#function);
#define __CORRECT_ISO_CPP_STRING_H_PROTO
#else
#define OPC_FIND(type, function, ...) type *function(const type *, __VA_ARGS__);
#endif

#ifdef __cplusplus
extern "C" {
#endif

void *memcpy(void *__restrict, const void *__restrict, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
OPC_FIND(void, memchr, int, size_t)
OPC_FIND(void, memrchr, int, size_t)
OPC_FIND(void, rawmemchr, int)
size_t strlen(const char *);
size_t strnlen(const char *, size_t);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
int strcoll(const char *, const char *);
char *strcpy(char *__restrict, const char *__restrict);
char *strncpy(char *__restrict, const char *__restrict, size_t);
char *stpcpy(char *__restrict, const char *__restrict);
char *stpncpy(char *__restrict, const char *__restrict, size_t);
char *strcat(char *__restrict, const char *__restrict);
char *strncat(char *__restrict, const char *__restrict, size_t);
OPC_FIND(char, strchr, int)
OPC_FIND(char, strrchr, int)
OPC_FIND(char, strchrnul, int)
OPC_FIND(char, strstr, const char *)
OPC_FIND(char, strpbrk, const char *)
size_t strspn(const char *, const char *);
size_t strcspn(const char *, const char *);
char *strtok(char *__restrict, const char *__restrict);
char *strtok_r(char *__restrict, const char *__restrict, char **__restrict);
char *strdup(const char *);
char *strndup(const char *, size_t);

// Not there; declared, so that whoever uses them is told by name.
char *strerror(int);
size_t strxfrm(char *__restrict, const char *__restrict, size_t);
char *strsep(char **__restrict, const char *__restrict);
char *strcasestr(const char *, const char *);
void *memmem(const void *, size_t, const void *, size_t);
void *mempcpy(void *__restrict, const void *__restrict, size_t);

#ifdef __cplusplus
}
#endif
#undef OPC_FIND
