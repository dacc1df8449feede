#include <coroutine>
#include <cstdio>
struct Numbers {
  struct promise_type {
    int value;
    Numbers get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int next) {
      value = next;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
__attribute__((noinline)) static int twice(int n) { return n * 2 + 1; }
__attribute__((noinline)) Numbers odd(int n) {
  for (int i = 0; i < n; i++)
    if (i % 4) co_yield twice(i);
}
__attribute__((noinline)) static long drain(int n) {
  long sum = 0;
  Numbers numbers = odd(n);
  for (numbers.handle.resume(); !numbers.handle.done(); numbers.handle.resume())
    sum += numbers.handle.promise().value;
  numbers.handle.destroy();
  return sum;
}
int main() {
  long sum = 0;
  for (int round = 0; round < 300; round++) sum += drain(40);
  std::printf("%ld\n", sum);
}
