#pragma once
extern int tab[8];
inline int inl(int x) {
  static int n = 3;
  n += x & 1;
  return n ^ x;
}
inline int &counter() {
  static int c = 0;
  return c;
}
template <class T> struct Tm {
  static T acc;
  __attribute__((noinline)) static unsigned f(int n) {
    unsigned s = 0;
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < 8; k++)
        s = s * 3 + tab[k] + acc;
      acc += inl(i);
    }
    return s;
  }
};
template <class T> T Tm<T>::acc = T(1);
struct TLo {
  int v = 7;
  TLo() { counter()++; }
  ~TLo() { counter() += 2; }
};
inline thread_local TLo tlo;
inline int tlc() { return tlo.v++ + counter() * 100000000; }
void nx(int);
void nn(int) noexcept;
