// Nobody catches: terminate, without unwinding.
// signal 6
// expect f(int) calls=4
#include <stdexcept>
static volatile int work;
static void f(int n) {
    work++; // 4 x 3
    if (n == 0) throw std::runtime_error("uncaught");
    f(n - 1);
    work++; // 0 x 3
}
int main() { f(3); }
