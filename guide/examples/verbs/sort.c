/* sort N: sorts N numbers and prints the middle one. */
#include <stdio.h>
#include <stdlib.h>

enum { SMALL = 12, MOST = 4000000 };

static unsigned numbers[MOST];

static void fill(int count) {
  unsigned state = 7;
  for (int at = 0; at < count; at++) {
    state = state * 1664525 + 1013904223;
    numbers[at] = state >> 8;
  }
}

__attribute__((noinline)) static void insertion_sort(int low, int high) {
  for (int at = low + 1; at < high; at++) {
    unsigned one = numbers[at];
    int to = at;
    while (to > low && numbers[to - 1] > one) {
      numbers[to] = numbers[to - 1];
      to--;
    }
    numbers[to] = one;
  }
}

__attribute__((noinline)) static void quick_sort(int low, int high) {
  if (high - low <= SMALL) {
    insertion_sort(low, high);
    return;
  }
  unsigned pivot = numbers[low + (high - low) / 2];
  int left = low, right = high - 1;
  while (left <= right) {
    while (numbers[left] < pivot) left++;
    while (numbers[right] > pivot) right--;
    if (left <= right) {
      unsigned other = numbers[left];
      numbers[left++] = numbers[right];
      numbers[right--] = other;
    }
  }
  quick_sort(low, right + 1);
  quick_sort(left, high);
}

int main(int count, char **words) {
  int size = count > 1 ? atoi(words[1]) : 1000;
  if (size < 1 || size > MOST) return 2;
  fill(size);
  quick_sort(0, size);
  printf("%u\n", numbers[size / 2]);
  return 0;
}
