/* Sums of series and integrals by the rule of trapezoids, which are floating-point operations in loops.
 *
 *     flops STEPS
 */
#include <stdio.h>
#include <stdlib.h>

static double sine(double x) {
    double square = x * x;
    return x * (1 + square * (-1.0 / 6 + square * (1.0 / 120 + square * (-1.0 / 5040 + square * (1.0 / 362880)))));
}

static double cosine(double x) {
    double square = x * x;
    return 1 + square * (-1.0 / 2 + square * (1.0 / 24 + square * (-1.0 / 720 + square * (1.0 / 40320))));
}

static double integral_of_rational(long steps) {
    double width = 1.0 / (double)steps, sum = 0;
    for (long i = 1; i < steps; i++) {
        double x = (double)i * width;
        sum += (0.5 + x * (0.25 + x)) / (1.0 + x * (2.0 + x * 3.0));
    }
    return sum * width;
}

static double alternating(long steps) {
    double sum = 0, sign = 1, from = 1;
    for (long i = 0; i < steps; i++) {
        sum += sign / from;
        sign = -sign;
        from += 2;
    }
    return 4 * sum;
}

static double integral(long steps, int which) {
    double width = 1.0471975511965976 / (double)steps, sum = 0;
    for (long i = 1; i < steps; i++) {
        double x = (double)i * width;
        switch (which) {
        case 0: sum += sine(x); break;
        case 1: sum += cosine(x); break;
        case 2: sum += sine(x) / cosine(x); break;
        default: sum += sine(x) * cosine(x) * cosine(x); break;
        }
    }
    return sum * width;
}

int main(int argc, char **argv) {
    long steps = argc > 1 ? atol(argv[1]) : 100000;
    double sum = integral_of_rational(steps) + alternating(steps);
    for (int which = 0; which < 4; which++) sum += integral(steps, which);
    printf("%.6f\n", sum);
    return 0;
}
