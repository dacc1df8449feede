#include <stdint.h>
int back(const int16_t *p){ return p[-3]*2-p[2]; }
int fir3(const int16_t *x, int16_t *y, unsigned n){ unsigned s=0; n&=15; for(unsigned i=0;i<n;i++){ y[i]=(int16_t)(x[i]-x[(int)i-1]*3+x[(int)i-2]); s+=(unsigned)y[i]; } return (int)s; }
void down(int32_t *p, unsigned n){ n&=7; for(int i=0;i>-(int)n;i--) p[i-1]=p[i]^i; }
uint32_t both(const uint32_t *p, int k){ k=k%5; return p[k]; }
