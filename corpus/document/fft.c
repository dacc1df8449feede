/* Fourier transforms of double precision, there and back, in place, by radix 2.
 *
 *     fft ROUNDS LOGARITHM
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void reorder(double *real, double *imaginary, int size) {
    for (int at = 0, other = 0; at < size - 1; at++) {
        if (at < other) {
            double swap = real[at];
            real[at] = real[other];
            real[other] = swap;
            swap = imaginary[at];
            imaginary[at] = imaginary[other];
            imaginary[other] = swap;
        }
        int bit = size / 2;
        while (bit <= other) {
            other -= bit;
            bit /= 2;
        }
        other += bit;
    }
}

static void transform(double *real, double *imaginary, int size, double direction) {
    reorder(real, imaginary, size);
    for (int length = 1; length < size; length *= 2) {
        double angle = direction * 3.14159265358979323846 / length;
        double step_real = cos(angle), step_imaginary = sin(angle), turn_real = 1, turn_imaginary = 0;
        for (int offset = 0; offset < length; offset++) {
            for (int at = offset; at < size; at += 2 * length) {
                int other = at + length;
                double r = turn_real * real[other] - turn_imaginary * imaginary[other];
                double i = turn_real * imaginary[other] + turn_imaginary * real[other];
                real[other] = real[at] - r;
                imaginary[other] = imaginary[at] - i;
                real[at] += r;
                imaginary[at] += i;
            }
            double next = turn_real * step_real - turn_imaginary * step_imaginary;
            turn_imaginary = turn_real * step_imaginary + turn_imaginary * step_real;
            turn_real = next;
        }
    }
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 10, size = 1 << (argc > 2 ? atoi(argv[2]) : 12);
    double *real = malloc(sizeof *real * (size_t)size), *imaginary = malloc(sizeof *imaginary * (size_t)size);
    if (!real || !imaginary) return 1;
    for (int i = 0; i < size; i++) {
        real[i] = i % 17 - 8;
        imaginary[i] = i % 5 - 2;
    }
    for (int round = 0; round < rounds; round++) {
        transform(real, imaginary, size, 1);
        transform(real, imaginary, size, -1);
        for (int i = 0; i < size; i++) {
            real[i] /= size;
            imaginary[i] /= size;
        }
    }
    double worst = 0;
    for (int i = 0; i < size; i++) {
        double error = fabs(real[i] - (i % 17 - 8)) + fabs(imaginary[i] - (i % 5 - 2));
        if (error > worst) worst = error;
    }
    printf("%d values are %s\n", size, worst < 1e-6 ? "as before" : "wrong");
    free(real);
    free(imaginary);
    return 0;
}
