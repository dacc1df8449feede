// What the parts of a plug-in's runtime know of each other.
#define _GNU_SOURCE
#define OPCOST_PLUGIN
#include "opcost_host.h"

#define OPC_HIDDEN __attribute__((visibility("hidden")))

// The metered code's registers stay as they are, where clang has a way to say so.
#if defined(__x86_64__) || defined(__aarch64__)
#define OPC_KEEPS_MOST __attribute__((preserve_most))
#else
#define OPC_KEEPS_MOST
#endif

extern struct opcost_plugin opcost_plugin;
// Leaves for the host; comes back when the host does.
OPC_HIDDEN void opc_leave(uint32_t why);
// Leaves for good. `site` may be null.
OPC_HIDDEN _Noreturn void opc_crash(int number, const char *reason, const struct opcost_site *site);
// From now on the heap is what the host gave.
OPC_HIDDEN void opc_heap_open(void);
