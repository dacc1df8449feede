#include "two_files.h"
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <thread>
#include <vector>
unsigned o2(int n);
int *addr2();
static int dt;
struct Dt {
  ~Dt() { dt++; }
};
namespace {
struct E {
  int v;
};
} // namespace
__attribute__((noinline)) unsigned thr(int n) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    Dt d;
    for (int k = 0; k < 8; k++)
      s = s * 3 + tab[k];
    try {
      if (i % 1000 == 7)
        o2(-i);
      s += inl(i);
    } catch (int x) {
      s += x;
    }
  }
  return s;
}
std::mutex mu;
std::condition_variable cv;
int turn;
void pp(int id, int n, unsigned *out) {
  unsigned s = id;
  for (int i = 0; i < n; i++) {
    std::unique_lock<std::mutex> l(mu);
    cv.wait(l, [&] { return turn == id; });
    for (int k = 0; k < 8; k++)
      s = s * 31 + tab[k];
    tab[i & 7] = s;
    turn ^= 1;
    cv.notify_one();
  }
  *out = s;
}
int main() {
  printf("%u %d\n", thr(5000000), dt);
  printf("%u\n", o2(5000000));
  printf("%d %d\n", &counter() == addr2(), counter());
  printf("%u\n", Tm<int>::f(3000000) + Tm<char>::f(3000000));
  unsigned a, b;
  std::thread t1(pp, 0, 50000, &a), t2(pp, 1, 50000, &b);
  t1.join();
  t2.join();
  printf("%u %u\n", a, b);
  std::vector<std::future<unsigned>> v;
  for (int i = 0; i < 8; i++)
    v.push_back(std::async(std::launch::async, [i] {
      try {
        unsigned s = thr(300000 * (i + 1));
        if (i == 5)
          throw E{7};
        return s;
      } catch (E &e) {
        return (unsigned)e.v;
      }
    }));
  unsigned s = 0;
  for (auto &f : v)
    s = s * 31 + f.get();
  printf("%u\n", s);
  printf("%d\n", tlc());
  std::thread([] {
    for (int i = 0; i < 3000000; i++)
      tlc();
    printf("%d\n", tlc());
  }).join();
  printf("%d\n", tlc());
  try {
    for (int i = 0;; i++) {
      try {
        nx(i);
      } catch (int) {
        if (i > 3000000)
          throw;
      }
    }
  } catch (int e) {
    printf("e %d\n", e);
  }
  struct R {
    ~R() { printf("R\n"); }
  } r;
  try {
    nx(-1);
  } catch (...) {
    puts("c");
  }
  nn(100);
}
