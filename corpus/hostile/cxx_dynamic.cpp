// std::function, virtual calls, dynamic_cast to pointer and reference (which throws bad_cast).
// expect Cat::legs() const calls=10
// expect Bird::legs() const calls=10
// expect failed() calls=10
#include <cstdio>
#include <functional>
#include <typeinfo>
#include <vector>
struct Animal { virtual ~Animal() = default; virtual int legs() const = 0; };
struct Cat : Animal { int legs() const override { return 4; } };
struct Bird : Animal { int legs() const override { return 2; } };
static int work;
__attribute__((noinline)) static void failed() { work += 1000; }
int main() {
    Cat cat;
    Bird bird;
    std::vector<std::function<int(const Animal &)>> functions;
    for (int i = 0; i < 10; i++)
        functions.push_back([i](const Animal &animal) { return animal.legs() * i; });
    for (auto &function : functions) {
        work += function(cat) + function(bird);
        const Animal *animal = &bird;
        if (dynamic_cast<const Cat *>(animal)) work = 0;
        try {
            work += dynamic_cast<const Cat &>(*animal).legs();
        } catch (const std::bad_cast &) {
            failed();
        }
    }
    try {
        std::function<int()> empty;
        empty();
    } catch (const std::bad_function_call &) {
        work++;
    }
    std::printf("%d\n", work);
}
