// What does a call of a library function cost? All of them are called once to
// warm up (the loader, allocator and unwinder keep what they found), and once
// more inside `measured`, where callgrind collects.
#include "at.h"
#include <cstdio>

volatile double number;
void *volatile pointer;

static void all() {
  mathematics();
  memory();
  streams();
  system_and_text();
  exceptions();
  containers();
  strings();
  cxx_streams();
}

ROW void measured() { all(); }

int main() {
  FILE *input = fopen("input.txt", "w");
  for (int i = 0; i < 20000; i++) fprintf(input, "%d\n%d.%d\nword%d\n", i * 37 % 10007, i % 100, i % 1000, i);
  fclose(input);
  if (!freopen("input.txt", "r", stdin) || !freopen("/dev/null", "w", stdout)) return 1;
  all();
  measured();
}
