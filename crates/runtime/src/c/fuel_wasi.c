// How does a metered program get its fuel in WebAssembly?
//
// From the driver that runs it (`engines/`), which knows where in the program's
// memory the page lies, since its address is exported. The driver puts the limit
// there before the first instruction and reads the page after any end: an exit,
// a trap, a full stack. The program itself needs no file for it, and no leave to
// use one. Run by anything else it has no limit.
#include <stdio.h>
#include <stdlib.h>

#include "fuel_page.h"

// Debian's functions for 128-bit numbers are compiled with guards of the stack,
// and its C library has none.
__attribute__((weak)) uintptr_t __stack_chk_guard = 0x57a57a57;
__attribute__((weak)) _Noreturn void __stack_chk_fail(void) { abort(); }

struct opc_fuel_page opc_fuel_page __asm__("opc_fuel") = {.left = OPC_FULL, .limit = OPC_FULL, .seen = OPC_FULL};
#define page (&opc_fuel_page)

static void copy(char *to, size_t size, const char *from) {
  size_t at = 0;
  for (; at + 1 < size && from[at]; at++) to[at] = from[at];
  to[at] = 0;
}

// The library (library/) says by calls of it what is to be charged.
void opc_libc_charge(size_t bytes) { (void)bytes; }

// How many variables the environment has. opcost's own differ between what counts and what pays.
size_t opc_environment_size(void) {
  extern char **environ;
  size_t size = 0;
  for (char **one = environ; one && *one; one++) {
    const char *own = "OPCOST_", *name = *one;
    while (*own && *own == *name) own++, name++;
    size += *own != 0;
  }
  return size;
}

__attribute__((cold)) void opc_fuel_used_up(const struct opc_site *site) {
  page->left_at_stop = page->left;
  page->line = site->line;
  copy(page->function, sizeof page->function, site->function);
  copy(page->file, sizeof page->file, site->file);
  page->state = OPC_USED_UP;
  // What the program printed is its own; streams of its own making may run
  // metered code once more.
  page->left = OPC_FULL;
  fflush(NULL);
  _Exit(3);
}
