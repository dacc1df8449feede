#include <setjmp.h>
static jmp_buf where;
void work(int);
int twice(int a) {
  int seen = a & 7;
  if (setjmp(where) == 0) {
    work(seen);
    seen = 1;
  }
  return seen;
}
int low(int a) { return twice(a) & 15; }
