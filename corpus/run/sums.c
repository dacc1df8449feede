/* Sums of floating-point numbers in loops of two and three levels: what may run side by side, and what may not.
 *
 * Orders of additions matter: terms differ by fifteen orders of magnitude. Outer loops have counts that no number of copies
 * divides. Some store where they load.
 *
 *     sums ROUNDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 41 };

static double a[MOST][MOST], b[MOST][MOST], c[MOST][MOST];
static float f[MOST][MOST], g[MOST];

static void fill(int seed) {
    unsigned next = seed * 2654435761u + 1;
    for (int i = 0; i < MOST; i++)
        for (int j = 0; j < MOST; j++) {
            next = next * 1664525u + 1013904223u;
            a[i][j] = (double)(next >> 8) * ((next >> 5) % 3 ? 1e-9 : 1e6);
            b[i][j] = (double)(next >> 16) - 32768.0;
            c[i][j] = i - j;
            f[i][j] = (float)a[j][i];
        }
}

static double all(const double (*of)[MOST]) {
    double sum = 0;
    for (int i = 0; i < MOST; i++)
        for (int j = 0; j < MOST; j++) sum = sum * 0.999 + of[i][j];
    return sum;
}

/* Three arrays, any size. */
__attribute__((noinline)) static void product(int rows, int columns, int terms) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            double sum = 0;
            for (int k = 0; k < terms; k++) sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

/* By pointers that are stepped. */
__attribute__((noinline)) static void by_pointers(int rows, int columns) {
    double *to = &c[0][0];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            const double *left = a[i], *right = &b[0][j];
            double sum = 1;
            for (int k = 0; k < MOST; k++, right += MOST) sum -= *left++ * *right;
            *to++ = sum;
        }
}

/* In the array that is read: later rows read what earlier ones wrote. */
__attribute__((noinline)) static void in_itself(int rows, int columns) {
    for (int i = 1; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            double sum = 0;
            for (int k = 0; k < i; k++) sum += c[k][j] * 0.5;
            c[i][j] = sum + b[i][j];
        }
}

/* In the row that is read: the next column reads what this one wrote. */
__attribute__((noinline)) static void in_its_row(int columns) {
    for (int j = 1; j < columns; j++) {
        double sum = 0;
        for (int k = 0; k < MOST - 1; k++) sum += a[k][j] + c[0][k];
        c[0][j] = sum * 1e-6;
    }
}

/* Through pointers that may be the same. */
__attribute__((noinline)) static void through(double *to, double (*from)[MOST], int columns) {
    for (int j = 0; j < columns; j++) {
        double sum = 0;
        for (int k = 0; k < MOST; k++) sum += from[k][j];
        to[j] = sum;
    }
}

/* Two sums, a product and a largest one; a divisor; an inner count that the outer loop decides. */
__attribute__((noinline)) static double several(int columns) {
    double largest = -1e300, total = 0;
    for (int j = 0; j < columns; j++) {
        double sum = 0, factors = 1;
        for (int k = 0; k < MOST; k++) {
            sum += a[k][j] / (b[k][j] + 40000.0);
            factors *= 1.0 + b[k][j] * 1e-7;
        }
        if (sum > largest) largest = sum;
        total += sum * factors;
        double part = 0;
        for (int k = 0; k < j; k++) part += b[k][j];
        total -= part;
    }
    return largest + total;
}

/* Single precision, with a conversion. */
__attribute__((noinline)) static void single(int columns) {
    for (int j = 0; j < columns; j++) {
        float sum = 0.1f;
        for (int k = 0; k < MOST; k++) sum += f[k][j] * (float)k;
        g[j] = sum;
    }
}

/* A while loop whose end the sum decides, and one whose counter is short and comes around. */
__attribute__((noinline)) static double others(int columns) {
    double total = 0;
    for (int j = 0; j < columns; j++) {
        double sum = 0;
        int k = 0;
        while (k < MOST && sum < 1e7) sum += a[k++][j];
        total += sum * k;
    }
    for (int j = 0; j < columns; j++) {
        double sum = 0;
        unsigned char at = 0;
        for (int k = 0; k < 600; k++, at += 7) sum += b[at % MOST][j];
        total += sum;
    }
    return total;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 60;
    double check = 0;
    for (int round = 0; round < rounds; round++) {
        fill(round);
        int rows = 1 + round % MOST, columns = 1 + round * 7 % MOST;
        product(rows, columns, 1 + round * 3 % MOST);
        check = check * 0.9 + all(c);
        by_pointers(rows, columns);
        check = check * 0.9 + all(c);
        in_itself(rows, columns);
        check = check * 0.9 + all(c);
        in_its_row(columns);
        check = check * 0.9 + all(c);
        through(c[3], b, columns);
        through(b[5], b, columns);
        through(&b[0][1], b, columns - 1);
        check = check * 0.9 + all(b) + all(c);
        check += several(columns);
        single(columns);
        for (int j = 0; j < columns; j++) check += g[j];
        check += others(columns);
    }
    printf("%a\n", check);
    return 0;
}
