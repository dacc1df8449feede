// Uses plugin.cpp, linked or (with -DLOADS, path in argv[1]) loaded by dlopen.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>
#ifdef LOADS
static int (*plugin_sum)(int);
static void (*plugin_throw)(int), (*plugin_call)(void (*)(int), int), (*plugin_jump)(void *), (*plugin_exit)(int);
template <class T> static void load(void *handle, T &function, const char *name) {
    function = reinterpret_cast<T>(dlsym(handle, name));
    if (!function) std::abort();
}
#else
extern "C" int plugin_sum(int);
extern "C" void plugin_throw(int), plugin_call(void (*)(int), int), plugin_jump(void *), plugin_exit(int);
#endif
static jmp_buf target;
static volatile int work;
__attribute__((noinline)) static void back(int n) { if (n & 1) throw n; work++; }
__attribute__((noinline)) static void caught() { work++; }
int main(int, char **arguments) {
#ifdef LOADS
    void *handle = dlopen(arguments[1], RTLD_NOW);
    if (!handle) { std::puts(dlerror()); return 1; }
    load(handle, plugin_sum, "plugin_sum");
    load(handle, plugin_throw, "plugin_throw");
    load(handle, plugin_call, "plugin_call");
    load(handle, plugin_jump, "plugin_jump");
    load(handle, plugin_exit, "plugin_exit");
#else
    (void)arguments;
#endif
    int sum = plugin_sum(100);
    for (int i = 0; i < 5; i++) try { plugin_throw(i); } catch (const std::exception &) { caught(); }
    for (int i = 0; i < 6; i++) try { plugin_call(back, i); } catch (int) { caught(); }
    for (volatile int i = 0; i < 4; i++) if (!setjmp(target)) plugin_jump(target); else caught();
    std::printf("%d %d\n", sum, work);
    std::fflush(stdout);
    plugin_exit(7);
}
