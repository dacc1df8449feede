#include <stdio.h>
#include <unistd.h>
static int F = 3;
int main(void) {
  int *p = &F, *q;
#ifdef PRINTF
  char b[32]; snprintf(b, 32, "%p", (void *)p); sscanf(b, "%p", (void **)&q);
#else
  int pp[2]; if (pipe(pp) || write(pp[1], &p, sizeof p) < 0 || read(pp[0], &q, sizeof q) < 0) return 1;
#endif
  *q = 10; int t = 0; for (int i = 0; i < F; i++) t++; printf("%d\n", t); return 0; }
