/* Several exits. Those that look at data leave a bound; those that all count
   leave the first of them to be met. */
#include "hard.h"

/* The search: at most n, and nobody knows more. */
int find(const int *a, int n, int key) {
  for (int i = 0; i < n; i++) {  // expect: body=max(n,0) quality=bound
    if (a[i] == key) return i;
  }
  return -1;
}

/* Two ends, both counted. */
int both(const int *a, int n, int m) {
  int sum = 0;
  for (int i = 0; i < n && i < m; i++) {  // expect: body=min(max(n,0),max(m,0)) quality=exact
    sum += a[i];
  }
  return sum;
}

/* A break that the counter decides: the sixth turn begins and is left. */
int sixth(const int *a, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {  // expect: body=min(max(n,0),6) quality=exact
    if (i == 5) break;
    sum += a[i];
  }
  return sum;
}

/* Three exits, two of them by data: the counted one is the bound. */
int weigh(const int *a, int n, int limit) {
  int sum = 0;
  for (int i = 0; i < n; i++) {  // expect: body=max(n,0) quality=bound
    if (a[i] < 0) return -1;
    sum += a[i];
    if (sum > limit) break;
  }
  return sum;
}

/* A search inside a search: the inner bound holds per turn of the outer. */
int pairs(const int *a, int n) {
  int found = 0;
  for (int i = 0; i < n; i++) {  // expect: body=max(n,0) quality=exact
    for (int j = i + 1; j < n; j++) {  // expect: body=n-1-i quality=bound reached=n>0
      if (a[j] == a[i]) {
        found++;
        break;
      }
    }
  }
  return found;
}

int main(void) {
  static const int a[10] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
  long sum = 0;
  for (int n = -1; n <= 10; n++) {
    sum += find(a, n, 5) + 2 * find(a, n, 77) + 3 * both(a, n, 4) + 5 * both(a, 4, n);
    sum += 7 * sixth(a, n) + 11 * weigh(a, n, 20) + 13 * pairs(a, n);
  }
  return finish("several exits", sum, 3187);
}
