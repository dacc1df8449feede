/* Five kernels as SciMark's: Fourier transform, relaxation, Monte Carlo, sparse product, LU factors.
 *
 *     scimark ROUNDS
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 100, POINTS = 1024, ROWS = 1000, ENTRIES = 5 };

static uint64_t state = 101010u;

static double random_number(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}

static double fourier(int rounds) {
    static double data[2 * POINTS];
    for (int i = 0; i < 2 * POINTS; i++) data[i] = random_number();
    for (int round = 0; round < rounds; round++) {
        double direction = round % 2 ? 1 : -1;
        for (int dual = 1; dual < POINTS; dual *= 2) {
            double angle = direction * 3.14159265358979323846 / dual, r = 1, i = 0;
            double c = cos(angle), s = sin(angle);
            for (int offset = 0; offset < dual; offset++) {
                for (int at = offset; at < POINTS; at += 2 * dual) {
                    double *low = data + 2 * at, *high = data + 2 * (at + dual);
                    double real = r * high[0] - i * high[1], imaginary = r * high[1] + i * high[0];
                    high[0] = (low[0] - real) * 0.5;
                    high[1] = (low[1] - imaginary) * 0.5;
                    low[0] = (low[0] + real) * 0.5;
                    low[1] = (low[1] + imaginary) * 0.5;
                }
                double next = r * c - i * s;
                i = r * s + i * c;
                r = next;
            }
        }
        for (int at = 0; at < 2 * POINTS; at++) data[at] = data[at] * 0.5 + 0.25;
    }
    return data[7];
}

static double relaxation(int rounds) {
    static double grid[SIDE][SIDE];
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) grid[i][j] = random_number();
    for (int round = 0; round < rounds; round++)
        for (int i = 1; i < SIDE - 1; i++)
            for (int j = 1; j < SIDE - 1; j++)
                grid[i][j] = 0.3125 * (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]) -
                             0.25 * grid[i][j];
    return grid[SIDE / 2][SIDE / 2];
}

static double monte_carlo(int samples) {
    int inside = 0;
    for (int i = 0; i < samples; i++) {
        double x = random_number(), y = random_number();
        if (x * x + y * y <= 1) inside++;
    }
    return 4.0 * inside / samples;
}

static double sparse(int rounds) {
    static double value[ROWS * ENTRIES], x[ROWS], y[ROWS];
    static int column[ROWS * ENTRIES], row[ROWS + 1];
    for (int r = 0; r < ROWS; r++) {
        row[r + 1] = (r + 1) * ENTRIES;
        x[r] = random_number();
        for (int e = 0; e < ENTRIES; e++) {
            column[r * ENTRIES + e] = (r * (e + 1) * 7) % ROWS;
            value[r * ENTRIES + e] = random_number();
        }
    }
    for (int round = 0; round < rounds; round++)
        for (int r = 0; r < ROWS; r++) {
            double sum = 0;
            for (int at = row[r]; at < row[r + 1]; at++) sum += x[column[at]] * value[at];
            y[r] += sum;
        }
    return y[ROWS / 2] / rounds;
}

static double factors(int rounds) {
    static double from[SIDE][SIDE], lu[SIDE][SIDE];
    double last = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) from[i][j] = random_number();
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++) lu[i][j] = from[i][j];
        for (int j = 0; j < SIDE; j++) {
            int pivot = j;
            for (int i = j + 1; i < SIDE; i++)
                if (fabs(lu[i][j]) > fabs(lu[pivot][j])) pivot = i;
            for (int k = 0; k < SIDE && pivot != j; k++) {
                double swap = lu[j][k];
                lu[j][k] = lu[pivot][k];
                lu[pivot][k] = swap;
            }
            for (int i = j + 1; i < SIDE; i++) {
                lu[i][j] /= lu[j][j];
                for (int k = j + 1; k < SIDE; k++) lu[i][k] -= lu[i][j] * lu[j][k];
            }
        }
        last = lu[SIDE - 1][SIDE - 1];
    }
    return last;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 10;
    double sum = fourier(40 * rounds) + relaxation(60 * rounds) + monte_carlo(40000 * rounds) +
                 sparse(100 * rounds) + factors(2 * rounds);
    printf("%.6f\n", sum);
    return 0;
}
