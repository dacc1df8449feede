// What do functions cost that walk along a string?
//
// Each is compiled with the program and pays for its instructions. The work
// itself is left to the C library, in pieces whose length is charged before
// each is done: a piece is 64 bytes at first and four times as long each time
// up to 4096, so that a short string costs little and a long one a check every
// few hundred units. A string that never ends is stopped like any loop.
#include "library.h"

static const void *opc_find(const char *text, int byte, size_t most) {
  size_t at = 0;
  for (size_t piece = FIRST_PIECE; at < most; piece = opc_next_piece(piece)) {
    if (piece > most - at) piece = most - at;
    const void *found = memchr(text + at, byte, piece);
    if (found) return found;
    at += piece;
  }
  return NULL;
}

size_t LIBRARY(strlen)(const char *text) { return (size_t)((const char *)opc_find(text, 0, SIZE_MAX) - text); }

size_t LIBRARY(strnlen)(const char *text, size_t most) {
  const char *end = opc_find(text, 0, most);
  return end ? (size_t)(end - text) : most;
}

void *LIBRARY(memchr)(const void *bytes, int byte, size_t count) { return (void *)opc_find(bytes, byte, count); }
void *LIBRARY(rawmemchr)(const void *bytes, int byte) { return (void *)opc_find(bytes, byte, SIZE_MAX); }

#define COMPARISON(name)                                                    \
  int LIBRARY(name)(const char *a, const char *b, size_t most) {            \
    size_t at = 0;                                                          \
    for (size_t piece = FIRST_PIECE; at < most; piece = opc_next_piece(piece)) { \
      if (piece > most - at) piece = most - at;                             \
      int order = name(a + at, b + at, piece);                              \
      if (order || memchr(a + at, 0, piece)) return order;                  \
      at += piece;                                                          \
    }                                                                       \
    return 0;                                                               \
  }

COMPARISON(strncmp)
COMPARISON(strncasecmp)

int LIBRARY(strcmp)(const char *a, const char *b) { return LIBRARY(strncmp)(a, b, SIZE_MAX); }
int LIBRARY(strcoll)(const char *a, const char *b) {
  opc_libc_charge(LIBRARY(strlen)(a) + LIBRARY(strlen)(b));
  return strcoll(a, b);
}

int LIBRARY(strcasecmp)(const char *a, const char *b) { return LIBRARY(strncasecmp)(a, b, SIZE_MAX); }

char *LIBRARY(strchrnul)(const char *text, int byte) {
  size_t length = LIBRARY(strlen)(text);
  const char *found = opc_find(text, byte, length);
  return (char *)(found ? found : text + length);
}

char *LIBRARY(strchr)(const char *text, int byte) {
  char *found = LIBRARY(strchrnul)(text, byte);
  return *found == (char)byte ? found : NULL;
}

void *LIBRARY(memrchr)(const void *bytes, int byte, size_t count) {
  const unsigned char *start = bytes;
  while (count > 0)
    if (start[--count] == (unsigned char)byte) return (void *)(start + count);
  return NULL;
}

char *LIBRARY(strrchr)(const char *text, int byte) {
  return LIBRARY(memrchr)(text, byte, LIBRARY(strlen)(text) + 1);
}

char *LIBRARY(strstr)(const char *text, const char *wanted) {
  size_t left = LIBRARY(strlen)(text), length = LIBRARY(strlen)(wanted);
  if (length == 0) return (char *)text;
  while (left >= length) {
    const char *found = opc_find(text, *wanted, left - length + 1);
    if (!found) return NULL;
    if (memcmp(found, wanted, length) == 0) return (char *)found;
    left -= (size_t)(found - text) + 1;
    text = found + 1;
  }
  return NULL;
}

// Whether a string is so short that its piece, which is charged, holds it.
#ifndef opc_ends_soon
static int opc_ends_soon(const char *text) { return memchr(text, 0, FIRST_PIECE) != NULL; }
#endif

// How many bytes at the start are of the set, or are not.
static size_t opc_span(const char *text, const char *set, int is_of_set) {
  if (opc_ends_soon(set) && opc_ends_soon(text)) return is_of_set ? strspn(text, set) : strcspn(text, set);
  uint64_t members[4] = {0};
  for (; *set; set++) members[(unsigned char)*set >> 6] |= UINT64_C(1) << (*set & 63);
  size_t length = 0;
  for (; text[length]; length++) {
    unsigned char byte = (unsigned char)text[length];
    if ((int)(members[byte >> 6] >> (byte & 63) & 1) != is_of_set) break;
  }
  return length;
}

size_t LIBRARY(strspn)(const char *text, const char *set) { return opc_span(text, set, 1); }
size_t LIBRARY(strcspn)(const char *text, const char *set) { return opc_span(text, set, 0); }

char *LIBRARY(strpbrk)(const char *text, const char *set) {
  text += opc_span(text, set, 0);
  return *text ? (char *)text : NULL;
}

char *LIBRARY(strtok_r)(char *text, const char *separators, char **rest) {
  char *token = text ? text : *rest;
  if (!token) return NULL;
  token += opc_span(token, separators, 1);
  if (!*token) {
    *rest = token;
    return NULL;
  }
  char *end = token + opc_span(token, separators, 0);
  if (*end) *end++ = 0;
  *rest = end;
  return token;
}

char *LIBRARY(strtok)(char *text, const char *separators) {
  static char *rest;
  return LIBRARY(strtok_r)(text, separators, &rest);
}

char *LIBRARY(stpcpy)(char *to, const char *from) {
  size_t length = LIBRARY(strlen)(from);
  memcpy(to, from, length + 1);
  return to + length;
}

char *LIBRARY(strcpy)(char *to, const char *from) {
  LIBRARY(stpcpy)(to, from);
  return to;
}

char *LIBRARY(stpncpy)(char *to, const char *from, size_t size) {
  size_t length = LIBRARY(strnlen)(from, size);
  memcpy(to, from, length);
  memset(to + length, 0, size - length);
  return to + length;
}

char *LIBRARY(strncpy)(char *to, const char *from, size_t size) {
  LIBRARY(stpncpy)(to, from, size);
  return to;
}

char *LIBRARY(strcat)(char *to, const char *from) {
  LIBRARY(stpcpy)(to + LIBRARY(strlen)(to), from);
  return to;
}

char *LIBRARY(strncat)(char *to, const char *from, size_t most) {
  char *end = to + LIBRARY(strlen)(to);
  size_t length = LIBRARY(strnlen)(from, most);
  memcpy(end, from, length);
  end[length] = 0;
  return to;
}

static char *opc_copy(const char *text, size_t length) {
  char *copy = malloc(length + 1);
  if (!copy) return NULL;
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

char *LIBRARY(strdup)(const char *text) { return opc_copy(text, LIBRARY(strlen)(text)); }
char *LIBRARY(strndup)(const char *text, size_t most) { return opc_copy(text, LIBRARY(strnlen)(text, most)); }
