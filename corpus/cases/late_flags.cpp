#include <cstdio>
#include <cstdlib>
struct shape {
  virtual ~shape() {}
  virtual int area(int k) const = 0;
};
struct square : shape {
  int area(int k) const override { return k * k; }
};
struct strip : shape {
  int area(int k) const override { return k + 3; }
};
__attribute__((noinline)) static int sum(const shape *const *shapes, int count, int k) {
  int all = 0;
  for (int i = 0; i < count; i++) all += shapes[i]->area(k);
  return all;
}
int main() {
  square one;
  strip other;
  const shape *shapes[] = {&one, &other, &one};
  int all = 0;
  for (int k = 0; k < 40; k++) all ^= sum(shapes, 3, k);
  std::printf("%d\n", all);
}
