/* Nests whose inner loops hang on the outer counter: a sequence and its sum,
   never a mean. */
#include "hard.h"

long upper(int n) {
  long sum = 0;
  for (int i = 0; i < n; i++) {  // expect: body=max(n,0) quality=exact
    for (int j = i; j < n; j++) {  // expect: body=n-i total=max(n,0)*(max(n,0)+1)/2 quality=exact
      sum += i * j;
    }
  }
  return sum;
}

long lower(int n) {
  long sum = 0;
  for (int i = 0; i < n; i++) {  // expect: body=max(n,0) quality=exact
    for (int j = 0; j < i; j++) {  // expect: body=i total=max(n,0)*max(n-1,0)/2 quality=exact
      sum += i - j;
    }
  }
  return sum;
}

long tetrahedron(int n) {
  long turns = 0;
  for (int i = 0; i < n; i++) {  // expect: body=max(n,0) quality=exact
    for (int j = 0; j <= i; j++) {  // expect: body=i+1 total=max(n,0)*(max(n,0)+1)/2 quality=exact
      for (int k = j; k <= i; k++) {  // expect: body=i-j+1 total=max(n,0)*(max(n,0)+1)*(max(n,0)+2)/6 quality=exact
        turns++;
      }
    }
  }
  return turns;
}

/* Every third, from a start that moves by two. */
long slanted(int n, int m) {
  long sum = 0;
  for (int i = 0; i < n; i++) {  // expect: body=max(n,0) quality=exact
    for (int j = 2 * i; j < m; j += 3) {  // expect: body=ceil_div(max(m-2*i,0),3) quality=exact assume=nsw
      sum += j;
    }
  }
  return sum;
}

int main(void) {
  long sum = 0;
  for (int n = -1; n < 10; n++) {
    sum += upper(n) + 2 * lower(n) + 3 * tetrahedron(n) + 5 * slanted(n, 11);
  }
  return finish("triangles", sum, 6856);
}
