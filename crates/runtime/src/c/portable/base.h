// Below the portable library there is no other: what text.c and sort.c leave to
// the C library is written here, byte by byte.
#pragma once
#include <stddef.h>
#include <stdint.h>

static inline const void *opc_base_memchr(const void *bytes, int byte, size_t count) {
  for (const unsigned char *at = bytes; count > 0; at++, count--)
    if (*at == (unsigned char)byte) return at;
  return NULL;
}

static inline int opc_base_memcmp(const void *a, const void *b, size_t count) {
  const unsigned char *left = a, *right = b;
  for (; count > 0; left++, right++, count--)
    if (*left != *right) return *left < *right ? -1 : 1;
  return 0;
}

static inline int opc_base_lower(int byte) { return byte >= 'A' && byte <= 'Z' ? byte + 32 : byte; }

static inline int opc_base_strncmp(const char *a, const char *b, size_t most) {
  for (; most > 0; a++, b++, most--) {
    unsigned char left = (unsigned char)*a, right = (unsigned char)*b;
    if (left != right) return left < right ? -1 : 1;
    if (!left) return 0;
  }
  return 0;
}

static inline int opc_base_strncasecmp(const char *a, const char *b, size_t most) {
  for (; most > 0; a++, b++, most--) {
    int left = opc_base_lower((unsigned char)*a), right = opc_base_lower((unsigned char)*b);
    if (left != right) return left < right ? -1 : 1;
    if (!left) return 0;
  }
  return 0;
}

void *opc_libc_malloc(size_t size);
void opc_libc_free(void *memory);
int opc_libc_strcmp(const char *a, const char *b);

// With arguments, so that the bare name still names the function of the library.
#define memchr(bytes, byte, count) opc_base_memchr(bytes, byte, count)
#define memcmp(a, b, count) opc_base_memcmp(a, b, count)
#define strncmp(a, b, most) opc_base_strncmp(a, b, most)
#define strncasecmp(a, b, most) opc_base_strncasecmp(a, b, most)
#define strcoll(a, b) opc_libc_strcmp(a, b)
#define memcpy(to, from, count) __builtin_memcpy(to, from, count)
#define memmove(to, from, count) __builtin_memmove(to, from, count)
#define memset(to, byte, count) __builtin_memset(to, byte, count)
#define malloc(size) opc_libc_malloc(size)
#define free(memory) opc_libc_free(memory)
// No C library is there to do it at once.
#define opc_ends_soon(text) 0
// Every instruction is charged as it is done.
#define opc_libc_charge(bytes) ((void)(bytes))
