// What does a portable program ask of the machine it runs on?
//
// Bytes of its input, bytes to its output, memory and an end. Parameters are
// pointers and 64-bit integers, alike in every calling convention. Nothing here
// is metered, so nothing here may matter to what the program does: how many
// bytes the system gives at once stays inside.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define OPC_HIDDEN __attribute__((visibility("hidden")))

static char input[65536];
static int64_t taken, given;

#ifdef _WIN32
#include <windows.h>

#include <fcntl.h>
#include <io.h>
#define read _read

OPC_HIDDEN void *opc_world_grow(int64_t bytes) {
  return VirtualAlloc(NULL, (SIZE_T)bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}
static void begin(void) {
  for (int stream = 0; stream < 3; stream++) _setmode(stream, _O_BINARY);
}
#else
#include <sys/mman.h>
#include <unistd.h>

OPC_HIDDEN void *opc_world_grow(int64_t bytes) {
  void *memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}
static void begin(void) {}
#endif

OPC_HIDDEN int64_t opc_world_get(void) {
  if (taken == given) {
    taken = 0;
    given = read(0, input, sizeof input);
    if (given <= 0) {
      given = 0;
      return -1;
    }
  }
  return (unsigned char)input[taken++];
}

OPC_HIDDEN void opc_world_put(int64_t stream, const char *bytes, int64_t count) {
  fwrite(bytes, 1, (size_t)count, stream == 2 ? stderr : stdout);
}

OPC_HIDDEN void opc_world_flush(void) { fflush(NULL); }

OPC_HIDDEN _Noreturn void opc_world_exit(int64_t status) { exit((int)status); }
OPC_HIDDEN _Noreturn void opc_world_abort(void) { abort(); }

extern void opc_portable_start(int64_t count, char **arguments);

int main(int count, char **arguments) {
  static char name[] = "program"; // not where it lies
  begin();
  if (count > 0) arguments[0] = name;
  opc_portable_start(count, arguments);
  return 0;
}
