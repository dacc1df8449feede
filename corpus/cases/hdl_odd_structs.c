#include <stdint.h>
#include <stdbool.h>
#include <string.h>
typedef struct{ uint64_t lo; uint8_t hi; } s9; s9 inc9(s9 a){ a.lo+=0xff; if(a.lo<0xff) a.hi++; return a; }
typedef struct{ uint8_t b[11]; } s11; s11 rot11(s11 a,unsigned k){ s11 r; for(int i=0;i<11;i++) r.b[i]=a.b[(i+k%11)%11]; return r; }
typedef struct{ uint8_t b[5]; } s5; uint64_t sum5(s5 a,s5 b){ uint64_t s=0; for(int i=0;i<5;i++) s=s*7+a.b[i]*b.b[4-i]; return s; }
typedef struct{ float f; int i; } fi; int usei(fi x){ return x.i^7; }
typedef struct{ int i; bool b; bool c; } ib; ib flip(ib x){ x.b=!x.b; if(x.c) x.i=-x.i; return x; }
typedef struct{ __int128 v; } w1; w1 wadd(w1 a,int k){ a.v=(__int128)((unsigned __int128)a.v+k); return a; }
typedef struct{ int64_t a,b,c; } s24; int64_t pick(s24 s,int k,s24 t){ return k&1? s.a^t.c : s.b^t.a; }
s24 make(int64_t x,s24 o){ s24 r={x,o.a,o.b}; return r; }
typedef struct{ int x:1; unsigned y:31; } b1; int bb(b1 v){ return v.x? (int)v.y: -(int)(v.y&255); }
typedef struct{ enum{A=1,B=2,C=9} e; short v; } en; int sw(en x){ switch(x.e){case A: return x.v; case B: return -x.v; default: return 0;} }
typedef struct { struct { short a; } p[2]; int q; } nest; nest nn(nest n){ nest r={{{n.p[1].a},{n.p[0].a}},n.q^1}; return r; }
struct One{char c;}; struct One one(struct One o){ o.c^=3; return o; }
int mixed(char a,struct One o,short s,struct One p,bool b){ return b? a+o.c : s-p.c; }
int regs(int a,int b,int c,int d,int e,s9 x,int f,int g){ return (int)(a^b^c^d^e^x.lo^x.hi^f^(g<<3)); }
typedef struct{ _Alignas(16) long a; } al; long useal(al x){ return x.a^9; }
typedef struct{ int (*f)(int); int k; } fp; int kk(fp x){ return x.k^3; }
typedef struct{ const int *p; int n; } sl; int slice(sl s){ return s.n; }
typedef struct{ uint16_t a; union{ uint8_t u8[2]; uint16_t u16; } u; } un2; un2 swp(un2 v){ un2 r; r.a=v.u.u16; r.u.u8[0]=(uint8_t)v.a; r.u.u8[1]=(uint8_t)(v.a>>8); return r; }
typedef _Complex int ci; int cre(ci a){ return __real__ a ^ __imag__ a; }
_BitInt(65) r65(_BitInt(65) a,int k){ return a>>(k&63); }
typedef struct{ _BitInt(70) v; } sb; int gtb(sb a,sb b){ return a.v>b.v; }
typedef struct{ unsigned _BitInt(20) v; uint8_t k; } sb2; sb2 b20(sb2 a){ a.v=a.v*3+a.k; return a; }
int vla2(const struct One *o,int k){ struct One t[8]; memcpy(t,o,8); return t[k&7].c; }
typedef struct{ uint8_t op; uint32_t arg; } ins; uint32_t vm(const ins *code,uint32_t x){ for(unsigned pc=0;pc<8;pc++){ ins i=code[pc]; switch(i.op&3){case 0:x+=i.arg;break;case 1:x^=i.arg;break;case 2:x=x>>(i.arg&31);break;default:return x;} } return x; }
typedef struct{ uint32_t k; int16_t v; } kv; int find(const kv *t,uint32_t k){ for(int i=0;i<16;i++) if((t[i].k&7)==(k&7)) return t[i].v; return -1; }
void bub(kv *t){ for(int i=0;i<7;i++) for(int j=0;j<7-i;j++) if(t[j].k>t[j+1].k){ kv x=t[j]; t[j]=t[j+1]; t[j+1]=x; } }
