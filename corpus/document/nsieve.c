/* Sieves of Eratosthenes of three sizes, a byte for each number.
 *
 *     nsieve ROUNDS NUMBERS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int primes(char *crossed, int limit) {
    int count = 0;
    memset(crossed, 0, (size_t)limit + 1);
    for (int number = 2; number <= limit; number++) {
        if (crossed[number]) continue;
        count++;
        for (long multiple = 2L * number; multiple <= limit; multiple += number) crossed[multiple] = 1;
    }
    return count;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 10, limit = argc > 2 ? atoi(argv[2]) : 100000;
    char *crossed = malloc((size_t)limit + 1);
    if (!crossed) return 1;
    long total = 0;
    for (int round = 0; round < rounds; round++)
        for (int part = 1; part <= 4; part *= 2) total += primes(crossed, limit / part);
    printf("%ld\n", total);
    free(crossed);
    return 0;
}
