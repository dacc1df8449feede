#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#ifndef V
#define V 1
#endif
extern "C" void make_mistake(int);
extern "C" int helper(int);
extern "C" int shared_variable;
namespace parts {
struct Shape { virtual ~Shape() = default; virtual int area() const = 0; };
struct Square : Shape { int a; explicit Square(int a) : a(a) {} int area() const override { return a * a + V; } };
struct Oblong : Square { int b; Oblong(int a, int b) : Square(a), b(b) {} int area() const override { return a * b + V; } };
struct Local : std::runtime_error { int code; Local(int c) : std::runtime_error("local"), code(c) {} };
}
using namespace parts;
namespace { struct Guard { int &n; ~Guard() { n += V; } }; }
template <typename T> __attribute__((noinline)) T folded(const std::vector<T> &v) {
    T s{}; for (auto &x : v) s += x; return s;
}
inline int &one_for_all() { static int value = helper(3); return value; }
__attribute__((noinline)) static int throws(int x) {
    if (x % 4 == 1) throw Local(x);
    if (x % 4 == 2) throw x * 10 + V;
    make_mistake(x);
    return x;
}
extern "C" int work(int x) {
    std::vector<std::unique_ptr<Shape>> shapes;
    shapes.emplace_back(new Square(x)); shapes.emplace_back(new Oblong(x, x + 1));
    int s = 0;
    for (auto &shape : shapes) if (dynamic_cast<Oblong *>(shape.get())) s += shape->area(); else s -= shape->area();
    Guard guard{shared_variable};
    try { s += throws(x); }
    catch (const Local &local) { s += local.code * 100; }
    catch (const std::runtime_error &e) { s += std::string(e.what()).size() * V; }
    std::map<std::string, int> names; names["a" + std::to_string(x)] = V; names["b"] = 2;
    for (auto &[name, value] : names) s += static_cast<int>(name.size()) * value;
    s += folded(std::vector<int>{1, 2, V}) + folded(std::vector<double>{1.5, 2.25 * V});
    if (x == 8) { std::string text = "short"; s += text.at(static_cast<size_t>(x) - V); }
    if (x == 11) return static_cast<int>(std::string().at(static_cast<size_t>(V)));
    return s + helper(x) + (one_for_all() += V);
}
