// An exception meets noexcept two frames up: terminate, whose handler ends the program.
// status 11
// expect g() calls=1
// expect last() calls=1
#include <cstdlib>
#include <exception>
static volatile int work;
static void last() { work++; std::_Exit(11); }
static void h() { work++; throw 1; }
static void g() {
    h(); // 1 x 1
    work = 0; // 0 x 1
}
static void f() noexcept {
    g(); // 1 x 1 + 1 x 3
    work = 0; // 0 x 1
}
int main() {
    std::set_terminate(last);
    f(); // 1 x 1
    work = 0; // 0 x 1
}
