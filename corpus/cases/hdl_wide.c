#include <stdint.h>
typedef unsigned __int128 u128; typedef __int128 i128;
uint64_t mulhi(uint64_t a,uint64_t b){ return (uint64_t)(((u128)a*b)>>64); }
int64_t smulhi(int64_t a,int64_t b){ return (int64_t)(((i128)a*b)>>64); }
u128 mul(uint64_t a,uint64_t b){ return (u128)a*b; }
u128 add(u128 a,u128 b){ return a+b; }
i128 ssub(i128 a,i128 b){ return (i128)((u128)a-(u128)b)>>3; }
int lt(i128 a,i128 b){ return (a<b)*2+((u128)a<(u128)b); }
u128 sh(u128 a,unsigned k){ return (a<<(k&127))^(a>>((k*3)&127)); }
i128 sar(i128 a,unsigned k){ return a>>(k&127); }
uint64_t mod(u128 a,uint64_t m){ return (uint64_t)(a%(m|1)); }
_BitInt(100) bi(_BitInt(100) a,_BitInt(100) b){ return (_BitInt(100))((unsigned _BitInt(100))a*(unsigned _BitInt(100))b+1u); }
unsigned _BitInt(17) b17(unsigned _BitInt(17) a){ return a*3; }
_BitInt(17) s17(_BitInt(17) a,int k){ return a>>(k&15); }
unsigned _BitInt(65) b65(unsigned _BitInt(65) a){ return (a<<1)+a; }
unsigned _BitInt(127) b127(unsigned _BitInt(127) a,unsigned _BitInt(127) b){ return a*b^(a>>64); }
unsigned _BitInt(128) b128(unsigned _BitInt(128) a,unsigned _BitInt(128) b){ return a+b*3; }
_BitInt(5) b5(_BitInt(5) a,_BitInt(5) b){ return (_BitInt(5))(a^b); }
u128 loopsum(const uint64_t *a,unsigned n){ u128 s=0; n&=31; for(unsigned i=0;i<n;i++) s+=(u128)a[i]*a[i]; return s; }
void st128(u128 *a,unsigned n){ n&=7; for(unsigned i=0;i<n;i++) a[i]=a[i]*3+i; }
int pc(u128 a){ return __builtin_popcountll((uint64_t)(a>>64))+__builtin_clzll((uint64_t)a|1); }
int stk(u128 a,u128 b,u128 c,u128 d,int e){ return (int)(a^b^c^(d>>70))+(e&7); }
uint64_t mulo(uint64_t a,uint64_t b){ uint64_t r; return __builtin_mul_overflow(a,b,&r)?~0ull:r; }
i128 divs(i128 a){ return a/7; }
u128 tab(unsigned k){ static const u128 t[4]={1,(u128)-1,(u128)5<<64,7}; return t[k&3]; }
unsigned _BitInt(200) b200(unsigned _BitInt(200) a){ return a+1; }
void bitmem(_BitInt(100) *p,unsigned n){ n&=7; for(unsigned i=0;i<n;i++) p[i]=p[i]^(_BitInt(100))i; }
int sw(u128 x){ switch((uint64_t)(x>>60)&7){case 1:return 5;case 2:return 9;case 5:return 1;} return x==((u128)1<<100); }
