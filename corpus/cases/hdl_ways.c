#include <stdint.h>
int sel(const int *a,const int *b,int c,unsigned i){ const int *p = c&1 ? a : b; return p[i&15]; }
void selst(int *a,int *b,int c,unsigned i,int v){ int *p = c>3 ? a+1 : b; p[i&7]=v; p[(i>>3)&7]^=v; }
int loop2(const int16_t *a,const int16_t *b,unsigned n,int c){ unsigned s=0; n&=31; const int16_t *p = c? a : b; for(unsigned i=0;i<n;i++) s=s*3+(unsigned)p[i]; return (int)s; }
unsigned swap(const uint8_t *a,const uint8_t *b,unsigned n){ unsigned s=0; n&=15; for(unsigned i=0;i<n;i++){ s=s*5+a[i]; const uint8_t *t=a; a=b; b=t; } return s; }
void pingpong(int *a,int *b,unsigned n){ n&=7; int *p=a,*q=b; for(unsigned k=0;k<n;k++){ for(int i=0;i<8;i++) q[i]=p[(i+1)&7]^(int)k; int *t=p;p=q;q=t; } }
unsigned mixw(const uint8_t *a,const uint32_t *b,int c,unsigned i){ const void *p = c? (const void*)a : (const void*)b; return ((const uint32_t*)p)[i&7]; }
int three(const int *a,const int *b,const int *c,unsigned k){ const int *p = k%3==0 ? a : k%3==1 ? b+2 : c; p += k&3; return p[1]-p[0]; }
int same(const int *a,int c,unsigned i){ const int *p = c? a : a; const int *q = c? a+1 : a+5; return p[i&7]*3-q[i&7]; }
int loc(int k){ int t[4]={1,2,3,4}; int u[4]={5,6,7,8}; int *p=k&1?t:u; p[k>>1&3]+=k; return t[0]+u[1]*2-p[2]; }
static const int T1[4]={3,1,4,1}, T2[4]={2,7,1,8}; int tabs(int k){ const int *t = k&4? T1 : T2; return t[k&3]; }
static int get(const int *p,unsigned i){ int s=0; for(unsigned k=0;k<=(i&3);k++) s^=p[k]; return s; } int viacall(const int *a,const int *b,int c,unsigned i){ return get(c?a:b,i); }
void cond(int *a,const int *b,unsigned n){ n&=15; for(unsigned i=0;i<n;i++){ const int *p = b[i]<0 ? a : b; a[i]=(p[(i+1)&15])^5; } }
struct S{int8_t t; int32_t v;}; int ss(const struct S *a,const struct S *b,unsigned i,int c){ const struct S *p = c<0? a+(i&3) : b+1; return p->v^p->t; }
int nul(const int *a,int c){ const int *p = c? a : 0; return p ? p[1] : 7; }
int cmpp(const int *a,const int *b,int c){ const int *p=c?a:b; return p==a; }
void mv(uint8_t *a,uint8_t *b,int c){ uint8_t *p=c?a:b; for(int i=0;i<16;i++) p[i]=0; }
void minmax(int *lo,int *hi,const int *x,unsigned n){ n&=15; for(unsigned i=0;i<n;i++){ int *d = x[i]<0 ? lo : hi; d[i&3]+= x[i]&7; } }
void copied(int *restrict a,int *restrict b,const int *restrict x,const int *restrict y,int c,int d,unsigned n){ n&=15; int *p=c?a:b; const int *q=d?x:y; for(unsigned i=0;i<n;i++) p[i]=q[i]; }
