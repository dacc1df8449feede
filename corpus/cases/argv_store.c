#include <stdlib.h>
#include <string.h>
static volatile unsigned sink;
int main(int c, char **v) {
#if defined CH
  v[1][0] = '3';
#elif defined CPY
  strcpy(v[1], v[2]);
#elif defined SWAP
  char *t = v[1]; v[1] = v[2]; v[2] = t;
#else
  v[1] = "44";
#endif
  int n = atoi(v[1]);
  for (int i = 0; i < n; i++) sink++;
  return 0;
}
