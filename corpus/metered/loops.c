/* Loops that go round as often as numbers say which are known when they begin:
   each is paid for where it is entered. Arguments: a length, and where to start. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t words[4096];
static uint8_t bytes[8192];
static double field[64][64];

/* The optimiser must not know who calls. */
#define APART __attribute__((noinline))

APART static uint64_t up(const uint32_t *from, uint32_t count) {
    uint64_t sum = 1;
    for (uint32_t i = 0; i < count; i++) sum += from[i] ^ (sum >> 3);
    return sum;
}

APART static uint64_t down(const uint32_t *from, int count) {
    uint64_t sum = 2;
    while (count-- > 0) sum = sum * 3 + from[count];
    return sum;
}

APART static unsigned addresses(const uint8_t *from, const uint8_t *to) {
    unsigned sum = 3;
    for (; from != to; ++from) sum = sum * 31 + *from;
    return sum;
}

/* Of bytes, round the end of a byte: 256 turns if both are the same. */
APART static unsigned narrow(uint8_t from, uint8_t to) {
    unsigned sum = 4;
    do sum = (sum << 1 | sum >> 31) ^ from; while (++from != to);
    return sum;
}

APART static unsigned in_fours(unsigned from, unsigned to) {
    unsigned sum = 5;
    for (unsigned i = from & ~3u; i != (to & ~3u); i += 4) sum = sum * 5 + words[i & 4095];
    return sum;
}

/* Both ways round the turn cost what they cost. */
APART static unsigned two_arms(unsigned count) {
    unsigned sum = 6;
    for (unsigned i = 0; i != count; i++) {
        if (words[i & 4095] & 1) sum = sum * 7 + i;
        else sum = (sum ^ i) - (sum >> 5);
    }
    return sum;
}

APART static double nest(int turns) {
    double sum = 0;
    for (int t = 0; t < turns; t++)
        for (int i = 1; i < 63; i++)
            for (int j = 1; j < 63; j++) {
                field[i][j] = 0.25 * (field[i - 1][j] + field[i + 1][j] + field[i][j - 1] + field[i][j + 1]);
                sum += field[i][j];
            }
    return sum;
}

/* It is left early, so it pays as it goes. */
APART static int found(const uint8_t *from, int count, uint8_t wanted) {
    for (int i = 0; i < count; i++)
        if (from[i] == wanted) return i;
    return -1;
}

APART static void add(uint32_t *to, const uint32_t *from, size_t count) {
    for (size_t i = 0; i < count; i++) to[i] += from[i] * 3;
}

int main(int count, char **arguments) {
    unsigned n = count > 1 ? (unsigned)atoi(arguments[1]) : 100;
    unsigned s = count > 2 ? (unsigned)atoi(arguments[2]) : 0;
    for (unsigned i = 0; i < 4096; i++) words[i] = i * 2654435761u;
    for (unsigned i = 0; i < 8192; i++) bytes[i] = (uint8_t)(i * i >> 3);
    field[0][5] = 7;
    add(words + 8, words, n);
    printf("%llu %llu\n", (unsigned long long)up(words, n), (unsigned long long)down(words, (int)n));
    printf("%u %u\n", addresses(bytes + s, bytes + s + n), narrow((uint8_t)s, (uint8_t)n));
    printf("%u %u\n", in_fours(s, n), two_arms(n));
    printf("%.6f %d\n", nest(3), found(bytes, (int)n, 99));
    return 0;
}
