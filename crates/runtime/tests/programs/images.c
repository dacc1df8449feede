/* Loads a counted shared object; leaves its frames by longjmp and by exit. */
#include "counted.h"
#include <dlfcn.h>

static jmp_buf target;
static void jumps(void) { COUNT(1); opc_wrap_longjmp(target, 1); }
static void ends(void) { COUNT(2); opc_wrap_exit(0); }
static void returns(void) { COUNT(3); }

int main(int count, char **arguments) {
    (void)count;
    void *handle = dlopen(arguments[1], RTLD_NOW);
    void (*plugin)(void (*)(void)) = dlsym(handle, "plugin");
    if (setjmp(target)) SETTLE;
    else plugin(jumps);
    if (!strcmp(arguments[2], "unload")) {
        dlclose(handle);
        handle = dlopen(arguments[1], RTLD_NOW);
        plugin = dlsym(handle, "plugin");
        plugin(returns);
        return 0;
    }
    plugin(ends);
    return 0;
}
