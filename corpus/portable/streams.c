// Reading, writing, numbers as text, characters.
// System: the same output.
// Input: 3 10 20 30 2.5 word another\nThe rest of it is a line.\nlast
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  int n, sum = 0;
  if (scanf("%d", &n) != 1) return 1;
  for (int i = 0, x; i < n && scanf("%d", &x) == 1; i++) sum += x;
  double d;
  char a[32], b[32], line[64];
  int got = scanf("%lf %31s%31s", &d, a, b);
  getchar();
  if (!fgets(line, sizeof line, stdin)) return 2;
  int letters = 0, c;
  for (char *p = line; *p; p++) letters += isalpha((unsigned char)*p) ? 1 : ispunct((unsigned char)*p) ? 100 : 0;
  while ((c = getc(stdin)) != EOF) putchar(toupper(c));
  printf("|%d %d %.3e %s-%s %d\n", sum, got, d, a, b, letters);
  printf("%5d|%-5d|%05d|%+d|%x|%#o|%c|%8.3f|%-10s|%.2s|%%|%lld|%zu|%g %g\n", 42, 42, 42, 42, 255, 8, 'q', 3.14159,
         "ab", "xyz", -5000000000LL, (size_t)7, 1e100, 0.1);
  char text[40];
  int length = snprintf(text, 10, "%s", "a long text that is cut");
  fprintf(stderr, "%s %d\n", text, length);
  long hexadecimal = strtol("0x1fz", NULL, 16);
  printf("%ld %.17g %d\n", hexadecimal, strtod("0.1e-3x", NULL), atoi(" -12"));
  char *copy = strdup("one two three"), *rest;
  for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) fputs(word, stdout), putchar('.');
  free(copy);
  puts("");
  return 7;
}
