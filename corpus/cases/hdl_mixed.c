#include <stdint.h>
#include <string.h>
struct S{char t; int v; short w;}; 
int sum(const struct S *s,unsigned n){ unsigned r=0; n&=15; for(unsigned i=0;i<n;i++) r+=(unsigned)s[i].v*(unsigned)s[i].t+(unsigned)s[i].w; return (int)r; }
void upd(struct S *s,unsigned n){ n&=15; for(unsigned i=0;i<n;i++){ s[i].v^=s[i].w; s[i].w++; if(s[i].t<0) s[i].t=1; } }
struct __attribute__((packed)) K{uint8_t a; uint32_t b; uint16_t c;}; uint32_t pk(const struct K *k,unsigned i){ i&=7; return k[i].a+k[i].b+k[i].c; }
struct O{uint64_t x; uint8_t y[3]; struct {uint16_t q; uint32_t z;} in[2];}; uint64_t od(const struct O *o,unsigned i,unsigned j){ return o[i&3].x+o[i&3].y[j%3]+o[(i>>2)&3].in[j&1].z*o[i&3].in[1].q; }
void cp(struct S *a,const struct S *b,unsigned n){ n&=7; for(unsigned i=0;i<n;i++) a[i]=b[i]; }
void ini(struct S *a,unsigned n){ n&=7; struct S z={1,-2,3}; for(unsigned i=0;i<n;i++) a[i]=z; }
uint32_t un(const uint8_t *p,unsigned n){ uint32_t r=0; n&=31; for(unsigned i=0;i<n;i++){ uint32_t w; memcpy(&w,p+i,4); r^=w+p[i]; } return r; }
struct Node{uint16_t next; int32_t val;}; int walk(const struct Node *n,unsigned k){ unsigned i=0,s=0; k&=15; while(k--){ s+=(unsigned)n[i].val; i=n[i].next&15; } return (int)s; }
int loc(int k){ struct S t[4]; for(int i=0;i<4;i++){ t[i].t=(char)i; t[i].v=k^i; t[i].w=(short)(k*i);} return t[k&3].v+t[(k>>2)&3].w-t[(k>>1)&3].t; }
static struct S g[4]; int acc(unsigned i,int v){ g[i&3].v+=v; g[i&3].w++; return g[i&3].v^g[i&3].w; }
union V{uint32_t w; uint8_t b[4];}; uint32_t uv(union V *v,unsigned i){ v[i&7].b[i&3]^=0x55; return v[i&7].w; }
struct Bf{unsigned a:3,b:7; uint8_t c;}; unsigned bff(struct Bf *p,unsigned i){ p[i&3].b+=p[i&3].a; return p[i&3].b+p[i&3].c; }
struct Fl{_Bool on; int32_t v; _Bool neg;}; int flags(const struct Fl *f,unsigned n){ unsigned s=0; n&=15; for(unsigned i=0;i<n;i++) if(f[i].on) s+=f[i].neg?-(unsigned)f[i].v:(unsigned)f[i].v; return (int)s; }
