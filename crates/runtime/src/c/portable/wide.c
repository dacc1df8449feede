// What do strings of wide characters need? Only that they can be moved, filled,
// measured and compared: portable programs print and read none.
#include "portable.h"

#include <wchar.h>

wchar_t *LIBRARY(wmemcpy)(wchar_t *to, const wchar_t *from, size_t count) {
  return memcpy(to, from, count * sizeof *to);
}
wchar_t *LIBRARY(wmemmove)(wchar_t *to, const wchar_t *from, size_t count) {
  return memmove(to, from, count * sizeof *to);
}
wchar_t *LIBRARY(wmemset)(wchar_t *to, wchar_t letter, size_t count) {
  for (size_t at = 0; at < count; at++) to[at] = letter;
  return to;
}
int LIBRARY(wmemcmp)(const wchar_t *a, const wchar_t *b, size_t count) {
  for (size_t at = 0; at < count; at++)
    if (a[at] != b[at]) return a[at] < b[at] ? -1 : 1;
  return 0;
}
wchar_t *LIBRARY(wmemchr)(const wchar_t *text, wchar_t letter, size_t count) {
  for (size_t at = 0; at < count; at++)
    if (text[at] == letter) return (wchar_t *)text + at;
  return NULL;
}
size_t LIBRARY(wcslen)(const wchar_t *text) {
  size_t length = 0;
  while (text[length]) length++;
  return length;
}
