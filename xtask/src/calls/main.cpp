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
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <strings.h>
#include <unistd.h>
bool is_collecting;
size_t opc_units;
static size_t longest, thinness;
static char **wanted;
static FILE *notes;
static bool is_usual;
// What is drawn is measured each time: its draws are few enough.
static char argument[400];
void argue(const char *words, ...) {
  va_list list;
  va_start(list, words), vsnprintf(argument, sizeof argument, words, list), va_end(list);
  for (char *one = argument; *one; one++)
    if (*one == '\n') *one = ' ';
}
size_t tries() { return 10'000 / thinness; }
void note(const char *name) {
  fprintf(notes, "%s %zu%s%s%s\n", name, opc_units, is_usual ? " usual" : "", *argument ? " of " : "", argument);
}

std::vector<size_t> lengths() {
  std::vector<size_t> all;
  for (size_t n = 1; n <= longest; n *= 10) all.push_back(n);
  return all;
}

// Of all names or those that are given, the first calls and some of the others.
bool is_drawn(const char *name) {
  bool is_wanted = !*wanted || strcmp(name, "opc_nothing") == 0;
  for (char **one = wanted; *one; one++) is_wanted = is_wanted || strcmp(*one, name) == 0;
  if (!is_wanted) return false;
  if (*argument) return true;
  constexpr size_t ROOM = 1 << 12, FIRST = 200, OTHERS = 8;
  static const char *names[ROOM];
  static size_t calls[ROOM];
  static uint32_t state = 1;
  size_t at = (uintptr_t)name / 4 % ROOM;
  while (names[at] && names[at] != name) at = (at + 1) % ROOM;
  names[at] = name;
  state = state * 1664525 + 1013904223;
  size_t call = calls[at]++, draw = state >> 8;
  return call == 0 || (call < FIRST ? draw % thinness == 0 : draw % (thinness * OTHERS) == 0);
}

// What the compiled library charges, and functions that it calls and that are charged by length.
extern "C" {
void opc_libc_charge(size_t bytes) { opc_units += bytes / 16; }
void *opc_memcpy(void *to, const void *from, size_t n) { return opc_units += bulk(n), memcpy(to, from, n); }
void *opc_memset(void *to, int byte, size_t n) { return opc_units += bulk(n), memset(to, byte, n); }
size_t opc_environment_size() {
  size_t size = 0;
  while (environ[size]) size++;
  return size;
}
int opc_memcmp(const void *a, const void *b, size_t n) { return opc_units += n / 16, memcmp(a, b, n); }
const void *opc_memchr(const void *a, int byte, size_t n) { return opc_units += n / 16, memchr(a, byte, n); }
int opc_strncmp(const char *a, const char *b, size_t n) { return opc_units += n / 16, strncmp(a, b, n); }
int opc_strncasecmp(const char *a, const char *b, size_t n) { return opc_units += n / 16, strncasecmp(a, b, n); }
}
AT(opc_nothing, void, (), ())
extern "C" void opc_nothing() {}
#endif

int main(int, [[maybe_unused]] char **arguments) {
  FILE *input = fopen("input.txt", "w");
  for (int i = 0; i < 20000; i++) fprintf(input, "%d\n%d.%d\nword%d\n", i * 37 % 10007, i % 100, i % 1000, i);
  fclose(input);
  if (!freopen("input.txt", "r", stdin) || !freopen("/dev/null", "w", stdout)) return 1;
  all();
#ifdef WORST
  wanted = arguments + 3;
  longest = strtoul(arguments[1], nullptr, 10), thinness = strtoul(arguments[2], nullptr, 10);
  notes = fopen("notes.txt", "w");
  is_collecting = true;
  for (int i = 0; i < 4; i++) at_opc_nothing();
  worst_mathematics();
  worst_text();
  worst_strings();
  worst_streams();
  worst_errors();
  worst_small();
  worst_fields();
  *argument = 0;
  is_usual = true;
#endif
  measured();
}
