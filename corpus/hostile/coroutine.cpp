// A C++20 generator that suspends, is resumed, throws, and is destroyed half-way; counted once it is split.
// flags --cflag -std=c++20
// anchors optimized
// refused at source: coroutine
// expect main calls=1
// expect taken(int) calls=115
#include <coroutine>
#include <cstdio>
#include <exception>
struct Generator {
    struct promise_type {
        int value = 0;
        std::exception_ptr error;
        Generator get_return_object() { return Generator{std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int n) { value = n; return {}; }
        void unhandled_exception() { error = std::current_exception(); }
        void return_void() {}
    };
    std::coroutine_handle<promise_type> handle;
    bool next() {
        handle.resume();
        if (handle.promise().error) std::rethrow_exception(handle.promise().error);
        return !handle.done();
    }
    ~Generator() { handle.destroy(); }
};
static volatile int work;
__attribute__((noinline)) static Generator upTo(int n, bool throws) {
    for (int i = 0; i < n; i++) co_yield i;
    if (throws) throw n;
}
__attribute__((noinline)) static void taken(int n) { work += n; }
int main() {
    { Generator all = upTo(100, false); while (all.next()) taken(all.handle.promise().value); }
    { Generator few = upTo(100, false); for (int i = 0; i < 5 && few.next(); i++) taken(1); }
    try { Generator bad = upTo(10, true); while (bad.next()) taken(2); } catch (int) { work++; }
    std::printf("%d\n", work);
}
