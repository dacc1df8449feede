/* A mix of work as Whetstone's: simple arithmetic, arrays, calls, branches, library functions.
 *
 * Eight parts do what those of Curnow and Wichmann (1976) are about; weights are theirs in spirit, not in number.
 *
 *     whetstone ROUNDS
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double scale = 0.499975, half = 2.0;

static void of_array(double *e) {
    for (int i = 0; i < 6; i++) {
        e[0] = (e[0] + e[1] + e[2] - e[3]) * scale;
        e[1] = (e[0] + e[1] - e[2] + e[3]) * scale;
        e[2] = (e[0] - e[1] + e[2] + e[3]) * scale;
        e[3] = (-e[0] + e[1] + e[2] + e[3]) / half;
    }
}

static double of_two(double x, double y) {
    double first = scale * (x + y);
    double second = scale * (first + y);
    return (first + second) / half;
}

static void of_indices(double *e, int j, int k, int l) {
    e[j] = e[k];
    e[k] = e[l];
    e[l] = e[j];
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    double e[4] = {1.0, -1.0, -1.0, -1.0}, x = 0.2, y = 0.2, z = 1.0;
    int j = 1, k = 2, l = 3;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < 14; i++) of_array(e);
        for (int i = 0; i < 345; i++) {
            j = j == 1 ? 2 : 3;
            j = j > 2 ? 0 : 1;
            j = j < 1 ? 1 : 0;
        }
        j = 1;
        k = 2;
        l = 3;
        for (int i = 0; i < 210; i++) {
            j = j * (k - j) * (l - k);
            k = l * k - (l - j) * k;
            l = (l - k) * (k + j);
            e[l - 2] = j + k + l;
            e[k - 2] = j * k * l;
            j = 1;
            k = 2;
            l = 3;
        }
        x = y = 0.5;
        for (int i = 0; i < 32; i++) {
            x = scale * atan(half * sin(x) * cos(x) / (cos(x + y) + cos(x - y) + 1.001));
            y = scale * atan(half * sin(y) * cos(y) / (cos(x + y) + cos(x - y) + 1.001));
        }
        for (int i = 0; i < 899; i++) z = of_two(1.0 + z * 1e-3, 1.0);
        e[0] = 1.0;
        e[1] = 2.0;
        e[2] = 3.0;
        for (int i = 0; i < 616; i++) of_indices(e, 0, 1, 2);
        double root = 0.75;
        for (int i = 0; i < 93; i++) root = sqrt(exp(log(root) / 0.50025));
        x += root;
    }
    printf("%.9f %.9f %.9f %d\n", x, y, z + e[2], j + k + l);
    return 0;
}
