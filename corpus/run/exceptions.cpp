#include <atomic>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#define NI __attribute__((noinline))
static int live, total;
static int T[16];
struct O {
  int v;
  O(int v) : v(v) {
    live++;
    total++;
  }
  O(const O &o) : v(o.v) {
    live++;
    total++;
  }
  ~O() {
    live--;
    T[v & 15] &= 0x7fffffff;
  }
};
NI int help(int x) {
  if ((x & 0xfff) == 0xfff)
    throw std::runtime_error("x" + std::to_string(x));
  return x * 5 + 1;
}
NI unsigned ex(int n, int m) {
  unsigned s = 0;
  O o(1);
  for (int i = 0; i < n; i++) {
    O q(i);
    try {
      O r(i + 1);
      for (int j = 0; j < m; j++) {
        O z(j);
        s = s * 31 + help(i * m + j);
      }
    } catch (std::runtime_error &e) {
      s += e.what()[1] + live;
    }
  }
  return s;
}
NI unsigned ex2(int n) {
  unsigned s = 0;
  O o(3);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 16; k++)
      s = s * 31 + T[k] * k;
    O z(i);
    s += help(i);
  }
  return s;
}
NI unsigned ex3(int n) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    try {
      s += ex2(5000 + i);
    } catch (const std::exception &e) {
      s ^= e.what()[2] + live;
    }
  }
  return s;
}
NI void rethrow(int d, int n) {
  O o(d);
  if (d == 0) {
    unsigned s = 0;
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < 4; k++)
        s += k * i;
      s += help(i);
    }
  }
  try {
    for (int i = 0; i < 3; i++) {
      rethrow(d - 1, n);
    }
  } catch (...) {
    total += d;
    throw;
  }
}
struct B {
  virtual int f(int) = 0;
  virtual ~B() {}
};
struct D1 : B {
  int a = 3;
  int f(int x) override { return x * a + 1; }
};
struct D2 : B {
  int f(int x) override { return x ^ 0x55; }
};
NI unsigned virt(std::vector<std::unique_ptr<B>> &v, int n) {
  unsigned s = 0;
  for (int i = 0; i < n; i++)
    for (auto &p : v)
      s = s * 31 + p->f(i + s);
  return s;
}
NI unsigned memp(D1 &d, int (D1::*mf)(int), int D1::*mp, int n) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    s = s * 7 + (d.*mf)(i) + d.*mp;
    for (int k = 0; k < 5; k++)
      s ^= s << k;
  }
  return s;
}
struct TL {
  int v;
  TL() : v(100) {}
  ~TL() { std::printf("~TL %d\n", v > 100); }
};
thread_local TL tl;
thread_local int tc;
std::atomic<unsigned> sum;
NI void work(int id, int n) {
  unsigned s = id;
  for (int i = 0; i < n; i++) {
    tl.v++;
    tc += i;
    for (int k = 0; k < 16; k++)
      s = s * 31 + T[k] + tc;
    s += (i * 5 + 1);
  }
  sum += s;
}
NI int &stat(int i) {
  static std::map<int, int> m{{1, 2}, {3, 4}};
  static int c = [] {
    std::puts("init");
    return 5;
  }();
  c += i;
  return m[i % 7];
}
template <class F> NI unsigned app(F f, int n) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    s += f(i);
    for (int k = 0; k < 7; k++)
      s = s * 3 + k;
  }
  return s;
}
int main() {
  for (int i = 0; i < 16; i++)
    T[i] = i * 7 + 3;
  printf("%u\n", ex(1000, 3000));
  printf("%d %d\n", live, total);
  printf("%u %d %d\n", ex3(3000), live, total);
  for (int i = 0; i < 300; i++)
    try {
      rethrow(5, 5000);
    } catch (std::exception &e) {
    }
  printf("%d %d\n", live, total);
  std::vector<std::unique_ptr<B>> v;
  for (int i = 0; i < 10; i++)
    if (i % 3)
      v.emplace_back(new D1);
    else
      v.emplace_back(new D2);
  printf("%u\n", virt(v, 3000000));
  D1 d;
  printf("%u\n", memp(d, &D1::f, &D1::a, 10000000));
  std::vector<std::thread> t;
  for (int i = 0; i < 6; i++)
    t.emplace_back(work, i, 2000000);
  for (auto &x : t)
    x.join();
  printf("%u\n", sum.load());
  unsigned s = 0;
  for (int i = 0; i < 5000000; i++)
    s += stat(i)++;
  printf("%u\n", s);
  int cap = 4;
  std::function<int(int)> fn = [&](int x) {
    cap += x & 1;
    return cap ^ x;
  };
  printf("%u\n", app(fn, 8000000));
  printf("%u\n", app([&](int x) { return x * cap; }, 20000000));
  try {
    for (int i = 0;; i++) {
      O q(i);
      app(
          [&](int x) {
            if (x == 1000 && i == 500)
              throw std::string("out");
            return x;
          },
          2000);
    }
  } catch (std::string &s) {
    printf("%s %d\n", s.c_str(), live);
  }
  help(0xfff);
}
