// A shared library: it calls back, throws, jumps and exits. `plugin.expect` is in tests/count/libraries.rs.
#include <csetjmp>
#include <cstdlib>
#include <stdexcept>
static volatile int work;
struct Guard { ~Guard() { work++; } };
__attribute__((noinline)) static void step() { work++; }
extern "C" int plugin_sum(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) { step(); sum += i; }
    return sum;
}
extern "C" void plugin_throw(int n) {
    Guard guard;
    step();
    if (n > 2) throw std::runtime_error("plugin");
    step();
}
extern "C" void plugin_call(void (*call)(int), int n) {
    Guard guard;
    call(n);
    step();
}
extern "C" void plugin_jump(void *target) { step(); longjmp(*static_cast<jmp_buf *>(target), 1); }
extern "C" void plugin_exit(int status) { step(); std::exit(status); }
