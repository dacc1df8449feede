/* copy N: copies N bytes once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char from[4096], to[4096];

int main(int count, char **words) {
  size_t size = count > 1 ? (size_t)atoi(words[1]) : 0;
  if (size > sizeof to) return 2;
  memcpy(to, from, size);
  puts(to);
  return 0;
}
