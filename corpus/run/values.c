#define _GNU_SOURCE
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NI __attribute__((noinline))
typedef float v4 __attribute__((vector_size(16)));
typedef double v4d __attribute__((vector_size(32)));
typedef int v8i __attribute__((vector_size(32)));
typedef _Bool b1;
NI int help(int x) { return x * 7 + (x >> 5); }
typedef struct {
  char a[100];
} Big;
typedef struct {
  float x, y;
} F2;
typedef struct {
  double x;
  long y;
} DL;
NI long double ld(int n, long double s, long double c) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 9; j++)
      s = s * c + j;
    s += help(i);
  }
  return s;
}
NI __int128 i128(int n, __int128 s, unsigned __int128 c) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 9; j++)
      s = s * (__int128)c + j;
    s ^= (__int128)help(i) << 70;
  }
  return s;
}
NI _BitInt(24) b24(int n, _BitInt(24) s, _BitInt(24) c, _BitInt(77) d) {
  _BitInt(77) e = d;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 9; j++) {
      s = s * c + (_BitInt(24))j;
      e = e * d + s;
    }
    s ^= (_BitInt(24))(help(i) & 0xff);
  }
  return s ^ (_BitInt(24))(e >> 50);
}
NI v4 vec(int n, v4 s, v4 c, v8i *q, v8i z) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 9; j++) {
      s = s * c + (float)j;
      z = z * 3 + j;
    }
    s[i & 3] = help(i) & 63;
  }
  *q = z;
  return s;
}
NI Big big(int n, Big b, int c) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 99; j++)
      b.a[j] += b.a[j + 1] * c;
    b.a[99] = help(i);
  }
  return b;
}
NI F2 f2(int n, F2 a, F2 b) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 9; j++) {
      float t = a.x * b.x - a.y * b.y;
      a.y = a.x * b.y + a.y * b.x + j;
      a.x = t;
    }
    a.x += help(i) & 7;
  }
  return a;
}
NI DL dl(int n, DL a, long k) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 9; j++) {
      a.x = a.x * .3 + a.y;
      a.y = a.y * k + j;
    }
    a.x += help(i) & 7;
  }
  return a;
}
NI b1 bools(int n, b1 a, b1 b, b1 c) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 9; j++) {
      b1 t = a ^ (b & c);
      c = b | (j & 1);
      b = a;
      a = t;
    }
    a ^= help(i) & 1;
  }
  return a + 2 * b + 4 * c;
}
NI _Float16 hf(int n, _Float16 a, _Float16 b) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 9; j++)
      a = a * b + (_Float16)j;
    a += help(i) & 1;
  }
  return a;
}
NI unsigned vla(int n, int m) {
  unsigned s = 0;
  int v[m];
  for (int i = 0; i < m; i++)
    v[i] = i;
  for (int i = 0; i < n; i++) {
    int w[m + (i & 3)];
    w[m - 1] = i;
    for (int j = 0; j < m; j++) {
      s = s * 3 + v[j] + w[m - 1];
    }
    v[i % m] = help(s);
  }
  return s;
}
NI unsigned allo(int n) {
  unsigned s = 0;
  void *l = 0;
  for (int i = 0; i < n; i++) {
    if (i < 1000) {
      void **p = alloca(24);
      *p = l;
      l = p;
    }
    for (void **q = l; q && s % 7; q = *q)
      s = s * 3 + 1;
    s += help(i);
  }
  return s;
}
NI unsigned cg(int n, const unsigned char *code, int len) {
  static void *tab[] = {&&a, &&b, &&c, &&d};
  unsigned s = 1;
  int pc = 0;
  int k = 0;
  goto *tab[code[0]];
a:
  s = s * 3 + 1;
  if (++pc >= len) {
    pc = 0;
    if (++k >= n)
      return s;
  }
  goto *tab[code[pc]];
b:
  s ^= s >> 3;
  if (++pc >= len) {
    pc = 0;
    if (++k >= n)
      return s;
  }
  goto *tab[code[pc]];
c:
  s += help(s);
  if (++pc >= len) {
    pc = 0;
    if (++k >= n)
      return s;
  }
  goto *tab[code[pc]];
d:
  for (int j = 0; j < 3; j++)
    s = s * 5 + j;
  if (++pc >= len) {
    pc = 0;
    if (++k >= n)
      return s;
  }
  goto *tab[code[pc]];
}
NI unsigned sw(int n, int c) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    switch ((s >> 4) % 6 + c) {
    case 0:
      s = s * 3;
      break;
    case 1:
      s += help(i);
      break;
    case 2:
      for (int j = 0; j < 4; j++)
        s ^= j << s % 5;
      break;
    case 3:
      s += 77;
    case 4:
      s *= 5;
      break;
    default:
      s += i;
    }
  }
  return s;
}
NI unsigned rec(int d, int a, int n) {
  unsigned s = a;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 20; j++)
      s = s * 31 + a * j;
    if (d)
      s += rec(d - 1, a * 3 + i, n);
  }
  return s;
}
NI unsigned va(int n, ...) {
  __builtin_va_list ap;
  unsigned s = 0;
  __builtin_va_start(ap, n);
  for (int i = 0; i < n; i++) {
    int x = __builtin_va_arg(ap, int);
    for (int j = 0; j < 2000; j++)
      s = s * 31 + x + help(j);
  }
  __builtin_va_end(ap);
  return s;
}
NI float fl(int n, float a, float b, double c) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 9; j++) {
      a = a * b + c * j;
    }
    a -= help(i) & 7;
  }
  return a;
}
NI unsigned nest(int n, int a, int b, int c) {
  unsigned s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < a; j++) {
      for (int k = 0; k < b; k++) {
        for (int l = 0; l < c; l++)
          s = s * 3 + l * k;
        if (s % 1001 == 0)
          goto out;
        s += help(k);
      }
    out:
      s ^= j;
    }
  return s;
}
NI unsigned undef_(int n, int c) {
  unsigned s = 0;
  int x;
  for (int i = 0; i < n; i++) {
    if (i > 0)
      s += x;
    x = help(i);
    for (int j = 0; j < c; j++)
      s = s * 3 + j;
  }
  return s;
}
NI unsigned ptrs(int n, char *restrict a, char *b) {
  unsigned s = 0;
  char *e = a + 64;
  for (int i = 0; i < n; i++) {
    for (char *p = a; p != e; p++)
      s = s * 3 + *p;
    *b++ = s;
    if (b - a > 4000)
      b = a + 64;
    s += help(i);
  }
  return s;
}
static int cx[4];
NI void cycles(int n, int *out) {
  int a = 1, b = 2, c = 3;
  for (int i = 0; i < n; i++) {
    int t = a;
    a = b;
    b = c;
    c = t + (help(i) & 1);
    for (int k = 0; k < 4; k++)
      cx[k] += a * k + b;
  }
  out[0] = a;
  out[1] = b;
  out[2] = c;
}
int main() {
  int N = 1000000;
  for (int r = 0; r < 2; r++) {
    long double l = ld(N, 1.5L, .37L);
    printf("%La\n", l);
    __int128 q = i128(N, ((__int128)5 << 90) + r, 12345);
    printf("%lx %lx\n", (long)q, (long)(q >> 64));
    printf("%d\n", (int)b24(N, r + 5, 77, (_BitInt(77))123456789123456789));
    v8i z = {1, 2, 3};
    v4 v = vec(N, (v4){1, 2, 3, r}, (v4){.1, .2, .3, .4}, &z, z);
    printf("%a %a %a %a %d\n", v[0], v[1], v[2], v[3], z[1]);
    Big b = {{1, 2, 3, 4, 5, 6, 7, 8}};
    b = big(N / 9, b, 3 + r);
    for (int i = 0; i < 100; i++)
      printf("%d ", b.a[i]);
    puts("");
    F2 f = f2(N, (F2){1, r}, (F2){.5, .6});
    printf("%a %a\n", f.x, f.y);
    DL d = dl(N, (DL){1, 2}, 33);
    printf("%a %ld\n", d.x, d.y);
    printf("%d\n", bools(N, r, 0, 1));
    printf("%a\n", (double)hf(N, .1, .2));
    printf("%u\n", vla(N / 10, 37 + r));
    printf("%u\n", allo(N * 3));
    printf("%u\n", cg(N, (unsigned char *)"\0\1\2\3\2\1\3\3\0\1", 10));
    printf("%u %u\n", sw(N * 5, 0), sw(N * 5, r));
    printf("%u\n", rec(5, r, 12));
    printf("%u\n", va(9, 1, 2, 3, 4, 5, 6, 7, 8, 9));
    printf("%a\n", fl(N, 1.5, .3, .7));
    printf("%u\n", nest(N / 200, 9, 9, 5));
    printf("%u\n", undef_(N, 7));
    static char buf[5000];
    printf("%u\n", ptrs(N, buf, buf + 64));
    int o[3];
    cycles(N * 3, o);
    printf("%d %d %d\n", o[0], o[1], o[2]);
  }
}
