/* sort: integer keys are ranked by counting, through buckets. What bounds the
   inner loops are the sizes of the buckets. */
#include "common/common.h"
#include <stdio.h>

#define TOTAL_KEYS_LOG_2 16
#define MAX_KEY_LOG_2 11
#define NUM_BUCKETS_LOG_2 9
#define TOTAL_KEYS (1 << TOTAL_KEYS_LOG_2)
#define MAX_KEY (1 << MAX_KEY_LOG_2)
#define NUM_BUCKETS (1 << NUM_BUCKETS_LOG_2)
#define NUM_KEYS TOTAL_KEYS
#define MAX_ITERATIONS 10
#define TEST_ARRAY_SIZE 5

typedef int INT_TYPE;

INT_TYPE key_array[NUM_KEYS], key_buff1[MAX_KEY], key_buff2[NUM_KEYS], partial_verify_vals[TEST_ARRAY_SIZE];
INT_TYPE bucket_size[NUM_BUCKETS], bucket_ptrs[NUM_BUCKETS];
INT_TYPE test_index[TEST_ARRAY_SIZE];
int passed_verification;
INT_TYPE *key_buff_ptr_global;

/* Sums of four random numbers, so that the middle is fuller. */
void create_seq(long long seed, long long a) {
  double x;
  int i, k = MAX_KEY / 4;
  for (i = 0; i < NUM_KEYS; i++) {
    x = uniform(&seed, a);
    x += uniform(&seed, a);
    x += uniform(&seed, a);
    x += uniform(&seed, a);
    key_array[i] = (INT_TYPE)((double)k * x);
  }
}

void rank(int iteration) {
  int i, k, b, m, shift = MAX_KEY_LOG_2 - NUM_BUCKETS_LOG_2;
  INT_TYPE *key_buff_ptr;
  key_array[iteration] = iteration;
  key_array[iteration + MAX_ITERATIONS] = MAX_KEY - iteration;
  for (i = 0; i < TEST_ARRAY_SIZE; i++) {
    partial_verify_vals[i] = key_array[test_index[i]];
  }

  for (i = 0; i < NUM_BUCKETS; i++) {
    bucket_size[i] = 0;
  }
  for (i = 0; i < NUM_KEYS; i++) {
    bucket_size[key_array[i] >> shift]++;
  }
  bucket_ptrs[0] = 0;
  for (i = 1; i < NUM_BUCKETS; i++) {
    bucket_ptrs[i] = bucket_ptrs[i - 1] + bucket_size[i - 1];
  }
  for (i = 0; i < NUM_KEYS; i++) {
    k = key_array[i];
    key_buff2[bucket_ptrs[k >> shift]++] = k;
  }

  key_buff_ptr = key_buff1;
  for (i = 0; i < MAX_KEY; i++) {
    key_buff1[i] = 0;
  }
  /* Now each pointer stands at the end of its bucket. */
  for (b = 0; b < NUM_BUCKETS; b++) {
    m = b > 0 ? bucket_ptrs[b - 1] : 0;
    for (i = m; i < bucket_ptrs[b]; i++) {
      key_buff_ptr[key_buff2[i]]++;
    }
  }
  for (i = 0; i < MAX_KEY - 1; i++) {
    key_buff_ptr[i + 1] += key_buff_ptr[i];
  }

  for (i = 0; i < TEST_ARRAY_SIZE; i++) {
    k = partial_verify_vals[i];
    if (0 < k && k <= NUM_KEYS - 1) {
      partial_verify_vals[i] = key_buff_ptr[k - 1];
      passed_verification++;
    }
  }
  if (iteration == MAX_ITERATIONS || key_buff_ptr_global == 0) {
    key_buff_ptr_global = key_buff_ptr;
  }
}

/* Puts every key to its place and counts those that are not in order. */
void full_verify(void) {
  int i, j, k, at, gap, next;
  for (i = 0; i < NUM_KEYS; i++) {
    key_array[--key_buff_ptr_global[key_buff2[i]]] = key_buff2[i];
  }
  j = 0;
  for (i = 1; i < NUM_KEYS; i++) {
    if (key_array[i - 1] > key_array[i]) {
      j++;
    }
  }
  if (j != 0) {
    printf(" keys out of order: %d\n", j);
  } else {
    passed_verification++;
  }

  /* The same with another method: gaps that shrink by three. */
  for (i = 0; i < NUM_KEYS; i++) {
    key_buff2[i] = (int)((long long)i * 7919 % NUM_KEYS);
  }
  gap = 1;
  while (gap < NUM_KEYS / 9) {
    gap = 3 * gap + 1;
  }
  while (gap > 0) {
    for (i = gap; i < NUM_KEYS; i++) {
      next = key_buff2[i];
      for (at = i; at >= gap && key_buff2[at - gap] > next; at -= gap) {
        key_buff2[at] = key_buff2[at - gap];
      }
      key_buff2[at] = next;
    }
    gap = gap / 3;
  }
  for (i = 0; i < NUM_KEYS; i++) {
    if (key_buff2[i] != i) return;
  }
  passed_verification++;
  /* A search by halves for each test key. */
  for (i = 0; i < TEST_ARRAY_SIZE; i++) {
    j = 0;
    k = NUM_KEYS - 1;
    while (j < k) {
      at = (j + k) / 2;
      if (key_buff2[at] < test_index[i]) {
        j = at + 1;
      } else {
        k = at;
      }
    }
    if (j == test_index[i]) {
      passed_verification++;
    }
  }
}

int main(void) {
  static const double wanted_10[3] = {
      4.53110000000000e+05,
      1.24959303200000e+09,
      5.70000000000000e+01,
  };
  static const double wanted_2[3] = {
      4.53132000000000e+05,
      1.24974441500000e+09,
      1.70000000000000e+01,
  };
  int i, iteration, steps = MAX_ITERATIONS, verified = 0;
  double found[3];
  FILE *fp;

  if ((fp = fopen("inputsort.data", "r")) != NULL) {
    if (fscanf(fp, "%d", &steps) != 1 || steps < 1 || steps > MAX_ITERATIONS) return 2;
    fclose(fp);
  }
  for (i = 0; i < TEST_ARRAY_SIZE; i++) {
    test_index[i] = (i + 1) * 12347 % TOTAL_KEYS;
  }
  create_seq(314159265LL, 1220703125LL);
  rank(1);
  passed_verification = 0;
  timer_clear(1);
  timer_start(1);
  for (iteration = 1; iteration <= steps; iteration++) {
    rank(iteration);
  }
  timer_stop(1);

  found[0] = 0.0;
  for (i = 0; i < TEST_ARRAY_SIZE; i++) {
    found[0] = found[0] + (double)(i + 1) * (double)partial_verify_vals[i];
  }
  found[1] = 0.0;
  for (i = 0; i < MAX_KEY; i++) {
    found[1] = found[1] + (double)(key_buff1[i] % 1009) * (double)(i + 1);
  }
  full_verify();
  found[2] = (double)passed_verification;
  if (steps == 10) verified = compare(3, found, wanted_10, 1.0e-12);
  if (steps == 2) verified = compare(3, found, wanted_2, 1.0e-12);
  print_results("sort", NUM_KEYS, MAX_KEY, NUM_BUCKETS, steps, found[0] + found[1], verified);
  return verified ? 0 : 1;
}
