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
  small_members();
}

ROW void measured() { all(); }

#ifdef WORST
#include <cstdint>
bool is_collecting;
size_t opc_units;
extern "C" void opc_libc_charge(size_t bytes) { opc_units += bytes / 16; }
static FILE *notes;
void note(const char *name) { fprintf(notes, "%s %zu\n", name, opc_units); }
AT(opc_nothing, void, (), ())
extern "C" void opc_nothing() {}
#endif

int main() {
  FILE *input = fopen("input.txt", "w");
  for (int i = 0; i < 20000; i++) fprintf(input, "%d\n%d.%d\nword%d\n", i * 37 % 10007, i % 100, i % 1000, i);
  fclose(input);
  if (!freopen("input.txt", "r", stdin) || !freopen("/dev/null", "w", stdout)) return 1;
  all();
#ifdef WORST
  notes = fopen("notes.txt", "w");
  is_collecting = true;
  for (int i = 0; i < 4; i++) at_opc_nothing();
  worst_mathematics();
  worst_text();
  worst_strings();
  worst_streams();
#endif
  measured();
}
