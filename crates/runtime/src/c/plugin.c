// What does a metered plug-in have of its own?
//
// One symbol to be seen by its host, the descriptor; a cell of fuel; and the
// first function on its stack, which runs its constructors on the first turn's
// fuel and then one function of the bot's for every turn. Whenever there is no
// fuel, no memory or no way on, it leaves for the host through a pointer, and
// goes on behind that call when the host comes back.
//
// The heap is in heap.c, everything else that must not be shared with the host
// (streams, random numbers, exceptions' own state) in world.c. Nothing here
// runs before the first turn but a few constructors of the C++ library, which
// take memory and touch nothing of the bot's.
#include "plugin.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>

// Of the module, whose compiler writes these.
extern OPC_HIDDEN const struct opcost_export opc_plugin_functions[];
extern OPC_HIDDEN void (*const opc_plugin_constructors[])(void);
extern OPC_HIDDEN const char opc_plugin_cost_model[];
extern OPC_HIDDEN const uint64_t opc_plugin_overshoot;

// Its own page, so that running over the end of a neighbour does not reach it.
OPC_HIDDEN union {
  int64_t left;
  char bytes[4096];
} opc_fuel_memory __attribute__((aligned(4096)));
extern OPC_HIDDEN int64_t opc_fuel __attribute__((alias("opc_fuel_memory")));

extern OPC_HIDDEN __attribute__((weak)) const char opc_table[] __asm__("__start_opc_told");
extern OPC_HIDDEN __attribute__((weak)) const char opc_table_end[] __asm__("__stop_opc_told");

static void opc_enter(void);

__attribute__((visibility("default"))) struct opcost_plugin opcost_plugin = {
    .magic = OPCOST_PLUGIN_MAGIC,
    .version = OPCOST_PLUGIN_VERSION,
    .size = sizeof(struct opcost_plugin),
    .cost_model = opc_plugin_cost_model,
    .overshoot = &opc_plugin_overshoot,
    .functions = opc_plugin_functions,
    .fuel = &opc_fuel_memory.left,
    .told = opc_table,
    .told_end = opc_table_end,
    .enter = opc_enter,
};

OPC_HIDDEN void opc_leave(uint32_t why) { opcost_plugin.leave(&opcost_plugin, why); }

OPC_HIDDEN OPC_KEEPS_MOST __attribute__((cold)) void opc_fuel_used_up(const struct opcost_site *site) {
  while (opc_fuel_memory.left < 0) {
    opcost_plugin.site = site;
    opc_leave(OPCOST_USED_UP);
    opcost_plugin.site = NULL;
  }
}

OPC_HIDDEN _Noreturn void opc_crash(int number, const char *reason, const struct opcost_site *site) {
  opcost_plugin.signal = number;
  opcost_plugin.reason = reason;
  opcost_plugin.site = site;
  // The host never comes back to a crashed one.
  for (;;) opc_leave(OPCOST_CRASHED);
}

// Charged before it is called, for library functions that pay by length.
OPC_HIDDEN void opc_libc_charge(size_t bytes) { (void)bytes; }

// A plug-in has no environment of its own.
OPC_HIDDEN size_t opc_environment_size(void) { return 0; }

static void opc_enter(void) {
  opc_heap_open();
  for (void (*const *constructor)(void) = opc_plugin_constructors; *constructor; constructor++) (*constructor)();
  for (;;) {
    opcost_plugin.function(opcost_plugin.argument);
    // The last check: a turn that used more than it had is not finished.
    while (opc_fuel_memory.left < 0) opc_leave(OPCOST_USED_UP);
    opc_leave(OPCOST_FINISHED);
  }
}
