/* How often do the lines of loops run that are unrolled and vectorised? */
#include <stdio.h>
enum { LENGTH = 10000 };
static int from[LENGTH], to[LENGTH];

int main(int argc, char **argv) {
  int length = argc > 7 ? argc : LENGTH;
  (void)argv;
  unsigned state = 7;
  for (int i = 0; i < length; i++) {
    state = state * 1664525 + 1013904223;
    from[i] = (int)(state >> 8);
  }
  int sum = 0;
  for (int i = 0; i < length; i++)
    to[i] = from[i] * 3 + 1;
  for (int i = 0; i < length; i++)
    sum += to[i];
  printf("%d\n", sum);
  return 0;
}
