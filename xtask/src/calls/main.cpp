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
#include <cstdlib>
#include <cstring>
#include <strings.h>
#include <unistd.h>
#include "kept.h"
size_t opc_units;
static size_t longest;

std::vector<size_t> lengths() {
  std::vector<size_t> all;
  for (size_t n = 1; n <= longest; n *= 10) all.push_back(n);
  return all;
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
  longest = strtoul(arguments[1], nullptr, 10);
  keep_calls(arguments[2], strtoul(arguments[3], nullptr, 10), arguments + 4);
  for (int i = 0; i < 4; i++) at_opc_nothing();
  keep_usual_ones(true), measured(), keep_usual_ones(false);
  worst_mathematics();
  worst_text();
  worst_strings();
  worst_streams();
  worst_errors();
  worst_small();
  worst_fields();
  drawn_mathematics();
  drawn_text();
  drawn_memory();
  drawn_strings();
  drawn_streams();
  drawn_errors();
  write_kept();
#else
  measured();
#endif
}
