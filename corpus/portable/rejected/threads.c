// Rejected: main:8: uses pthread_create
#include <pthread.h>
static void *work(void *a) {
  return a;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  return 0;
}
