#include <cstdio>
#include <cstring>
struct A { int x; A(int x); ~A(); };
int g;
__attribute__((noinline)) A::A(int x) : x(x) { if (x > 100) throw 3; }
__attribute__((noinline)) A::~A() { g += x; }
__attribute__((noinline)) int f(int i) noexcept { A a(i); A b(i+1); return a.x; }
int main(int c, char **v) { int s = 0; for (int i = 0; i < 50; i++) { s += f(i); printf("%d\n", s); } return 0; }
