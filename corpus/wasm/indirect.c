// Functions in tables, comparators, what runs at the end; lengths of 32 bits.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef int (*operation)(int, int);
static int add(int a, int b) { return a + b; }
static int multiply(int a, int b) { return a * b; }
static int loop(int a, int b) {
  int sum = 0;
  for (int i = 0; i < a; i++) sum += b ^ i;
  return sum;
}
static operation table[] = {add, multiply, loop};
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void last(void) { puts("at the end"); }
int main(int count, char **words) {
  atexit(last);
  int values[500];
  for (int i = 0; i < 500; i++) values[i] = table[i % 3](i, 7 * i % 31);
  qsort(values, 500, sizeof *values, by_value);
  size_t size = (size_t)(values[250] % 4000) + 5000;
  char *text = calloc(5000, 3), *copy = malloc(size);
  memset(text, 'a', 9000 + size % 7);
  memcpy(copy, text, size);
  char room[size / 3];
  memcpy(room, copy, sizeof room);
  printf("%d %d %zu %zu\n", values[0], values[499], strlen(text), sizeof room);
  for (int i = 1; i < count; i++) printf("%s %s\n", words[i], getenv("OPCOST_FUEL") ? "seen" : "not seen");
  return room[0] == 'a' ? 0 : 1;
}
