/* A matrix product in six ways. VARIANT says in which: normal, with a temporary variable, with the inner loop
 * unrolled, by pointers, with b transposed, with the inner loops interchanged.
 *
 *     matrix ROUNDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 200 };

static double a[SIZE][SIZE], b[SIZE][SIZE], c[SIZE][SIZE];

#if VARIANT == 0
static void multiply(void) {
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            c[i][j] = 0;
            for (int k = 0; k < SIZE; k++) c[i][j] += a[i][k] * b[k][j];
        }
}
#elif VARIANT == 1
static void multiply(void) {
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            double sum = 0;
            for (int k = 0; k < SIZE; k++) sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}
#elif VARIANT == 2
static void multiply(void) {
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            double sum = 0;
            for (int k = 0; k < SIZE; k += 4) {
                sum += a[i][k] * b[k][j];
                sum += a[i][k + 1] * b[k + 1][j];
                sum += a[i][k + 2] * b[k + 2][j];
                sum += a[i][k + 3] * b[k + 3][j];
            }
            c[i][j] = sum;
        }
}
#elif VARIANT == 3
static void multiply(void) {
    double *to = &c[0][0];
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            const double *left = a[i], *right = &b[0][j];
            double sum = 0;
            for (int k = 0; k < SIZE; k++, right += SIZE) sum += *left++ * *right;
            *to++ = sum;
        }
}
#elif VARIANT == 4
static void multiply(void) {
    static double transposed[SIZE][SIZE];
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) transposed[j][i] = b[i][j];
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            double sum = 0;
            for (int k = 0; k < SIZE; k++) sum += a[i][k] * transposed[j][k];
            c[i][j] = sum;
        }
}
#else
static void multiply(void) {
    memset(c, 0, sizeof c);
    for (int i = 0; i < SIZE; i++)
        for (int k = 0; k < SIZE; k++)
            for (int j = 0; j < SIZE; j++) c[i][j] += a[i][k] * b[k][j];
}
#endif

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 10;
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            a[i][j] = (i * 3 + j * 5) % 13 - 6;
            b[i][j] = (i * 7 + j * 2) % 11 - 5;
        }
    double trace = 0;
    for (int round = 0; round < rounds; round++) {
        a[round % SIZE][0] += 1;
        multiply();
        for (int i = 0; i < SIZE; i++) trace += c[i][i];
    }
    printf("%.1f\n", trace);
    return 0;
}
