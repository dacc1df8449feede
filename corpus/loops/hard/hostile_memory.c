/* Ends on the heap, copied over, cast, or reached by an index that is not
   known. */
#include "hard.h"
#include <stdlib.h>
#include <string.h>

struct list {
  int *data;
  int length;
};

/* On the heap, and nobody else has the address. */
int on_the_heap(int n) {
  int turns = 0, *end = malloc(sizeof *end);
  if (end == NULL) exit(2);
  *end = n;
  for (int i = 0; i < *end; i++) {  // expect: body=max(n,0) quality=exact reached=end>0
    turns++;
  }
  free(end);
  return turns;
}

/* Its neighbours are written, by an index that the loop runs through. */
int beside_an_array(int n) {
  struct {
    int values[8];
    int end;
  } s;
  int turns = 0;
  s.end = n;
  for (int i = 0; i < s.end; i++) {  // expect: body=max(n,0) quality=exact assume=inbounds where=n<=8
    s.values[i & 7] = i;
    turns++;
  }
  return turns + s.values[0];
}

/* The whole object is copied over in the middle. */
int overwritten(int n) {
  struct list a = {NULL, n}, b = {NULL, 3};
  int turns = 0;
  for (int i = 0; i < a.length; i++) {  // expect: body=* quality=unknown
    if (i == 1) memcpy(&a, &b, sizeof a);
    turns++;
  }
  return turns;
}

/* By bytes of a cast pointer. */
int by_bytes(int n) {
  int end = n, turns = 0;
  for (int i = 0; i < end; i++) {  // expect: body=* quality=unknown
    unsigned char *byte = (unsigned char *)&end;
    if (i == 2) byte[0] = 5;
    turns++;
  }
  return turns;
}

/* An index that is not known may be that of the end. */
int by_index(const int *where, int n) {
  int numbers[8] = {0};
  int turns = 0;
  numbers[3] = n;
  for (int i = 0; i < numbers[3]; i++) {  // expect: body=* quality=unknown
    numbers[where[i & 7] & 7]--;
    turns++;
  }
  return turns;
}

/* A length that grows while the list is walked. */
static void push(struct list *l, int value) {
  l->data[l->length++] = value;
}
int growing(int n) {
  int data[64], turns = 0;
  struct list l = {data, 0};
  push(&l, n);
  for (int i = 0; i < l.length; i++) {  // expect: body=* quality=unknown
    if (l.data[i] > 1) {
      push(&l, l.data[i] / 2);
      push(&l, l.data[i] - l.data[i] / 2 - 1);
    }
    turns++;
  }
  return turns;
}

/* As long as a string is, which is data; and a constant string, which is not. */
int as_long_as(const char *s) {
  int turns = 0;
  for (size_t i = 0; i < strlen(s); i++) {  // expect: body=* quality=unknown
    turns++;
  }
  return turns;
}

int main(void) {
  static const int where[8] = {0, 1, 2, 3, 4, 5, 3, 7};
  long sum = 0;
  for (int n = 0; n < 9; n++) {
    sum += on_the_heap(n) + 2 * beside_an_array(n < 8 ? n + 1 : 8) + 3 * overwritten(n) + 5 * by_bytes(n) + 7 * by_index(where, n);
    sum += 11 * growing(n);
  }
  sum += 13 * as_long_as("seven!!");
  return finish("memory", sum, 1143);
}
