// Texts whatever the case of their letters.
#pragma once
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
int bcmp(const void *, const void *, size_t);
int strcasecmp(const char *, const char *);
int strncasecmp(const char *, const char *, size_t);
#ifdef __cplusplus
}
#endif
