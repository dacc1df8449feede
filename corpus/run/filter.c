/* A filter over many points, in one function that is called once.
 *
 *     filter POINTS PASSES RADIUS MODE [WEIGHT…]
 *
 * Each point is made of its neighbours to the given radius (at most 7): in mode 0 their
 * weighted sum, in mode 1 the largest weighted one, in mode 2 how far they are from the
 * point. Input and output change places after each pass. What the kernel gets is known
 * only when it runs, and then stays: radius, mode, weights. So a version that is made
 * for these values has no branches on the mode, and no loop over the taps.
 * It prints a checksum.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAPS = 16, MOST = (TAPS - 1) / 2, SUM = 0, LARGEST = 1, DISTANCE = 2 };

static int weights[TAPS] = {1, 3, 5, 9, 5, 3, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2};

typedef struct {
    size_t points;
    int passes, radius, mode;
} Job;

static __attribute__((noinline)) void filter(char *out, char *input, const Job *job) {
    for (int pass = 0; pass < job->passes; pass++) {
        size_t end = job->points - (size_t)job->radius;
        for (size_t at = (size_t)job->radius; at < end; at++) {
            int result = 0;
            for (int tap = -job->radius; tap <= job->radius; tap++) {
                int value = (unsigned char)input[at + (size_t)tap], weight = weights[tap + job->radius];
                if (job->mode == SUM) {
                    result += weight * value;
                } else if (job->mode == LARGEST) {
                    if (weight * value > result) result = weight * value;
                } else {
                    int distance = value - (unsigned char)input[at];
                    result += weight * (distance < 0 ? -distance : distance);
                }
            }
            out[at] = (char)(result >> 4);
        }
        char *other = out;
        out = input;
        input = other;
    }
}

int main(int argc, char **argv) {
    Job job = {argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000, argc > 2 ? atoi(argv[2]) : 2,
               argc > 3 ? atoi(argv[3]) : 3, argc > 4 ? atoi(argv[4]) : SUM};
    if (job.radius < 0 || job.radius > MOST || job.points <= 2 * MOST || job.passes < 1) return 2;
    for (int at = 5; at < argc && at - 5 < TAPS; at++) weights[at - 5] = atoi(argv[at]);
    char *input = malloc(job.points), *out = calloc(job.points, 1);
    if (!input || !out) return 1;
    uint32_t state = 20261121u;
    for (size_t at = 0; at < job.points; at++) {
        state = state * 1664525u + 1013904223u;
        input[at] = (char)(state >> 24);
    }
    filter(out, input, &job);
    const char *last = job.passes % 2 ? out : input;
    uint64_t sum = 14695981039346656037u;
    for (size_t at = 0; at < job.points; at++) sum = (sum ^ (unsigned char)last[at]) * 1099511628211u;
    printf("%zu points, %d passes, radius %d, mode %d: %016llx\n", job.points, job.passes, job.radius, job.mode,
           (unsigned long long)sum);
    free(input), free(out);
    return 0;
}
