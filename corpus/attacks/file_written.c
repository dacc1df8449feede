// Leaves a file behind.
// Ends: rejected, openat
#include <stdio.h>
int main(void) {
  FILE *file = fopen("left-behind", "w");
  return file == 0;
}
