// How does a program come into the deterministic world?
//
// opcost starts it with a fixed environment and with this library before all
// others. The constructor runs twice. In the program's first life it gives the
// stack its usual size (which decides where the kernel puts everything else),
// switches random addresses off and becomes the program once more, through
// /proc/self/exe: so the name by which the kernel knows the program, which lies
// on top of the stack, is the same wherever it lies. In its second life it says so to
// opcost, takes out of the environment what is not the program's, and is done.
//
// Counted libraries begin earlier than this one, and must not count in the
// first life: the variables for our other runtimes are written `opcost_` there, and
// made `OPCOST_` for the second. Paths in variables are padded by opcost to one length.
//
// Limits: a program without a loader (-static), or one that gains privileges,
// never comes here; opcost sees that it did not enter. Programs that this
// one starts are outside: they find neither this library nor opcost's variables.
// The stack protector's canary stays random, as the loader has it by now.
#include "deterministic.h"

#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/resource.h>

// Opcost's file for the answer; the first letter is the number of the life.
#define OPC_WORLD "OPCOST_WORLD"
#define OPC_RAW "OPCOST_RAW"
#define OPC_STACK (8u << 20)

extern char **environ;

pid_t opc_first_process;
// What was taken out of the environment and is still asked for.
static const char *opc_raw;

static _Noreturn void opc_refuse(const char *what) {
  dprintf(2, "opcost: this system does not let a program %s: %m\n", what);
  _exit(127);
}

// The first life ends here.
static _Noreturn void opc_begin_again(char *world, char **arguments) {
  struct rlimit stack;
  if (getrlimit(RLIMIT_STACK, &stack) != 0) opc_refuse("ask for its limits");
  stack.rlim_cur = OPC_STACK;
  if (setrlimit(RLIMIT_STACK, &stack) != 0) opc_refuse("have a stack of 8 MiB");
  if (personality(ADDR_NO_RANDOMIZE) == -1) opc_refuse("have fixed addresses (personality)");
  world[0] = '2';
  for (char **variable = environ; *variable; variable++)
    if (strncmp(*variable, "opcost_", 7) == 0) memcpy(*variable, "OPCOST_", 7);
  execve("/proc/self/exe", arguments, environ);
  opc_refuse("start again through /proc/self/exe");
}

__attribute__((constructor)) static void opc_enter(int count, char **arguments) {
  char *world = getenv(OPC_WORLD);
  (void)count;
  if (!world || !world[0]) return;
  if (world[0] == '1') opc_begin_again(world, arguments);
  if (personality(0xffffffff) != ADDR_NO_RANDOMIZE) opc_refuse("have fixed addresses (personality)");
  // The kernel's random bytes: the loader has read them, the program may.
  unsigned char *drawn = (unsigned char *)getauxval(AT_RANDOM);
  if (drawn) opc_random(drawn, 16);
  opc_first_process = (pid_t)opc_kernel(SYS_getpid, 0, 0, 0);
  int answer = OPC_NEXT(open)(world + 1, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (answer < 0) opc_refuse("write where its environment says");
  close(answer);
  opc_raw = getenv(OPC_RAW);
  // In place: the array stays where it is.
  unsetenv(OPC_WORLD);
  unsetenv(OPC_RAW);
  unsetenv("LD_PRELOAD");
  unsetenv("GLIBC_TUNABLES");
}

// The runtime of counted programs asks where to count to.
OPC_OPEN char *secure_getenv(const char *name) {
  if (opc_raw && strcmp(name, OPC_RAW) == 0) return (char *)opc_raw;
  return OPC_NEXT(secure_getenv)(name);
}
