// Allowed.
// Stores, fills and copies of every kind, through pointers and beside each other.
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int table[1000];
static _Atomic long sum;
struct list { struct list *next; int value; };
int main(void) {
  struct list *head = NULL;
  for (int i = 0; i < 1000; i++) {
    struct list *node = malloc(sizeof *node);
    node->value = i;
    node->next = head;
    head = node;
    table[(i * 7) % 1000] = i;
    sum += i;
  }
  char *text = calloc(1, 5000), *copy = malloc(5000);
  for (size_t length = 0; length < 5000; length += 7) {
    memset(text, 'a' + (int)(length % 26), length);
    memcpy(copy, text, length);
    memmove(copy + 1, copy, length ? length - 1 : 0);
  }
  long all = 0;
  for (struct list *at = head; at; at = at->next) all += at->value;
  printf("%ld %ld %d %c\n", all, (long)sum, table[7], copy[100]);
  while (head) {
    struct list *next = head->next;
    free(head);
    head = next;
  }
  return 0;
}
