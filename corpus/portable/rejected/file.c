// Rejected: main:4: uses fopen
#include <stdio.h>
int main(void) {
  FILE *file = fopen("map", "r");
  return file != 0;
}
