/* Runs a program's `main` on a stack whose words were all set before.
 * Linked with --wrap=main; FILLED is the byte. */
#include <stdlib.h>

int __real_main(int count, char **words, char **environment);

__attribute__((noinline)) static void fill(int byte) {
  volatile char below[1 << 18];
  for (unsigned at = 0; at < sizeof below; at++) below[at] = (char)byte;
}

int __wrap_main(int count, char **words, char **environment) {
  const char *byte = getenv("FILLED");
  if (byte) fill(atoi(byte));
  return __real_main(count, words, environment);
}
