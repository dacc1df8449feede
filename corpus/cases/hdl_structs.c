#include <stdint.h>
#include <stdbool.h>
struct P{short x,y;}; int f(struct P p){ return p.x*2-p.y; }
struct Q{int64_t a; int32_t b;}; int64_t g(struct Q at, int k){ return (int64_t)((uint64_t)at.a*(uint64_t)at.b+k); }
typedef struct{int16_t re,im;} cpx;
cpx cadd(cpx a,cpx b){ cpx c={(int16_t)(a.re+b.re),(int16_t)(a.im-b.im)}; return c; }
struct R{char a; int b; short c; char d;}; struct R rr(struct R r){ r.b^=r.a; r.d^=1; return r;}
struct B{int a[8];}; int big(struct B b,int i){ return b.a[i&7]; }
struct B sr(unsigned k){ struct B b; for(int i=0;i<8;i++) b.a[i]=i*k; return b; }
struct T{uint8_t a,b,c;}; struct T t3(struct T t){ struct T r={t.c,t.a,t.b}; return r; }
struct F{bool a; uint8_t n; bool b;}; int fb(struct F f){ return f.a ? f.n : f.b; }
struct BF{unsigned a:3; unsigned b:13; int c:16;}; int bf(struct BF x){ return x.a*x.b+x.c; }
struct L{int64_t a; int8_t c;}; struct L ll(int64_t a,int c){ struct L l={a^c,(int8_t)c}; return l; }
struct Seven{uint64_t a,b;}; uint64_t many(struct Seven a, struct Seven b, struct Seven c, struct Seven d){ return a.a+b.b*3+c.a-c.b+d.a*5+d.b; }
struct E{}; int em(struct E e,int x){ return x^5; }
union U{int i; short s[2];}; int un(union U u){ return u.s[1]-u.i/3; }
struct W{int v[2];}; struct W wv(struct W w,int s){ struct W r={{w.v[1]^s,w.v[0]^s}}; return r; }
struct N{struct {uint8_t x; uint16_t y;} in; uint32_t z;}; uint32_t nn(struct N n){ return n.in.x*n.in.y+n.z; }
static cpx cmulx(cpx a,cpx b){ cpx c={(int16_t)(a.re*b.re>>4),(int16_t)(a.im*b.im>>3)}; return c; }
cpx twice(cpx a,int n){ for(int i=0;i<(n&7);i++) a=cmulx(a,a); return a; }
struct B inc(struct B b){ b.a[0]++; return b; }
