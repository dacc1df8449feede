#include <stdint.h>
#include <string.h>
uint64_t bs64(uint64_t x){ return __builtin_bswap64(x); }
uint16_t bs16(uint16_t x){ return __builtin_bswap16(x); }
uint64_t br64(uint64_t x){ return __builtin_bitreverse64(x); }
uint8_t br8(uint8_t x){ return __builtin_bitreverse8(x); }
int lz64(uint64_t x){ return x ? __builtin_clzll(x) : 64; }
int tz64(uint64_t x){ return x ? __builtin_ctzll(x) : 64; }
int lz16(uint16_t x){ return x ? __builtin_clz(x)-16 : 16; }
int pc64(uint64_t x){ return __builtin_popcountll(x); }
int pc8(uint8_t x){ return __builtin_popcount(x); }
int64_t sa64(int64_t a,int64_t b){ return __builtin_elementwise_add_sat(a,b); }
int64_t ss64(int64_t a,int64_t b){ return __builtin_elementwise_sub_sat(a,b); }
int16_t sa16(int16_t a,int16_t b){ return __builtin_elementwise_add_sat(a,b); }
int8_t ss8(int8_t a,int8_t b){ return __builtin_elementwise_sub_sat(a,b); }
int c64(int64_t a,int64_t b){ return (a>b)-(a<b); }
int cu8(uint8_t a,uint8_t b){ return (a>b)-(a<b); }
uint32_t rot(uint32_t a,uint32_t n){ n&=31; return (a<<n)|(a>>(-n&31)); }
uint64_t rotr(uint64_t a,unsigned n){ n&=63; return (a>>n)|(a<<(-n&63)); }
unsigned _BitInt(24) br24(unsigned _BitInt(24) x){ unsigned _BitInt(24) r=0; for(int i=0;i<24;i++) r|=((x>>i)&1)<<(23-i); return r; }
int shl2(const int in[8], int out[8], int k){ int d[12]; for(int i=0;i<12;i++) d[i]=i; k&=3; memmove(d+k+1,d,8*sizeof*d); memmove(d,d+k,6*sizeof*d); unsigned s=0; for(int i=0;i<12;i++) s=s*3+d[i]; for(int i=0;i<8;i++) out[i]=in[i]; return s; }
int stru(const short in[16]){ struct {short a[8]; } s,t; for(int i=0;i<8;i++) s.a[i]=in[i]; t=s; s.a[0]=5; unsigned r=0; for(int i=0;i<8;i++) r+=(unsigned)(t.a[i]*s.a[7-i]); return r; }
int len(const char in[32]){ int n=0; while(n<31 && in[n]) n++; return n; }
void fillb(uint8_t *restrict o, uint8_t v){ for(int i=0;i<33;i++) o[i]=v; }
void fill32(uint32_t o[16]){ for(int i=0;i<16;i++) o[i]=0x5a5a5a5a; }
int vla(unsigned char in[16], unsigned n){ unsigned char t[16]; n&=15; memset(t,7,16); memcpy(t,in,n); unsigned s=0; for(int i=0;i<16;i++) s=s*5+t[i]; return s; }
