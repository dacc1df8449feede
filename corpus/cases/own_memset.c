#include <stdio.h>
#include <stddef.h>
int w;
void *memset(void *p, int c, size_t n) { char *q = p; for (size_t i = 0; i < n; i++) { q[i] = c; __asm__ volatile(""); } w++; return p; }
int main(int ac_, char **av_) { struct { char c[200]; } z = {0}; z.c[ac_] = 3; int t = z.c[5]; for (int i = 0; i < w; i++) t++; return t - 1 ; }
