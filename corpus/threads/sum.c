/* Threads that share nothing but their input: products and sums by rows.
 *
 * THREADS workers multiply their rows of two matrices and then add up their
 * part of a long vector REPEATS times; main joins them in order and folds
 * their results. Each worker's work depends on its own number alone, so the
 * counts of the whole are the same at every interleaving; a counter that is
 * shared and not atomic loses some.
 *
 *     threads [THREADS [REPEATS]]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIM = 256, LENGTH = 1 << 16, MOST = 64 };

static uint32_t left[DIM][DIM], right[DIM][DIM], vector[LENGTH];
static unsigned thread_count = 4, repeats = 600;

struct part {
    unsigned number;
    uint64_t product, sum;
};

static uint64_t multiply_rows(unsigned number) {
    uint64_t total = 0;
    for (unsigned i = number; i < DIM; i += thread_count)
        for (unsigned j = 0; j < DIM; j++) {
            uint32_t cell = 0;
            for (unsigned k = 0; k < DIM; k++) cell += left[i][k] * right[k][j];
            total = total * 31 + cell;
        }
    return total;
}

static uint64_t sum_vector(unsigned number) {
    uint64_t total = 0;
    for (unsigned repeat = 0; repeat < repeats; repeat++)
        for (unsigned i = number; i < LENGTH; i += thread_count)
            if (vector[i] % 3 != repeat % 3) total = total * 5 + vector[i];
    return total;
}

static void *work(void *argument) {
    struct part *part = argument;
    part->product = multiply_rows(part->number);
    part->sum = sum_vector(part->number);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc > 1) thread_count = (unsigned)atoi(argv[1]);
    if (argc > 2) repeats = (unsigned)atoi(argv[2]);
    if (thread_count < 1 || thread_count > MOST) {
        fprintf(stderr, "threads: 1 to %d threads, not %u\n", MOST, thread_count);
        return 2;
    }
    for (uint32_t i = 0; i < LENGTH; i++) vector[i] = i * 2654435761u;
    for (uint32_t i = 0; i < DIM * DIM; i++) left[i / DIM][i % DIM] = vector[i % LENGTH], right[i % DIM][i / DIM] = i;
    pthread_t thread[MOST];
    struct part part[MOST];
    for (unsigned n = 0; n < thread_count; n++) {
        part[n] = (struct part){.number = n};
        if (pthread_create(&thread[n], NULL, work, &part[n]) != 0) return perror("threads"), 1;
    }
    uint64_t product = 0, sum = 0;
    for (unsigned n = 0; n < thread_count; n++) {
        pthread_join(thread[n], NULL);
        product = product * 1000003 + part[n].product, sum = sum * 1000003 + part[n].sum;
    }
    printf("%u threads: product %016llx sum %016llx\n", thread_count, (unsigned long long)product,
           (unsigned long long)sum);
    return 0;
}
