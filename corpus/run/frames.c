/* Objects of a frame whose loops are left: arrays, structures, pointers to them, and who else has their addresses.
 *
 *     frames ROUNDS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    int first;
    struct pair *other;
};

static int *elsewhere;
static uint32_t mixed = 1;

static uint32_t mix(uint32_t value) { return mixed = (mixed ^ value) * 2654435761u; }
__attribute__((noinline)) static void remember(int *where) { elsewhere = where; }
__attribute__((noinline)) static void add(int *to, int what) { *to += what; }
__attribute__((noinline)) static int *second(int *of) { return of + 1; }

/* Nobody else has the address. */
__attribute__((noinline)) static void alone(int rounds) {
    double sums[4] = {1, 2, 3, 4};
    int counts[3] = {0};
    for (int i = 0; i < rounds; i++) {
        sums[i % 4] += sums[(i + 1) % 4] * 0.25;
        counts[i % 3]++;
        if (i % 1000 == 0) memset(counts, i % 7, sizeof counts);
    }
    for (int i = 0; i < 4; i++) printf("%a ", sums[i]);
    printf("%d %d %d\n", counts[0], counts[1], counts[2]);
}

/* A function of the program writes by an address that it gets each time, or got before the loop. */
__attribute__((noinline)) static void captured(int rounds) {
    int handed[2] = {1, 2}, stored[2] = {3, 4};
    remember(stored);
    for (int i = 0; i < rounds; i++) {
        add(handed, i);
        add(&handed[1], handed[0] & 3);
        *elsewhere += i & 7;
        mix(stored[0]);
    }
    printf("%d %d %d %d\n", handed[0], handed[1], stored[0], stored[1]);
}

/* Pointers into an object that go round the loop, are chosen, or come back from a function. */
__attribute__((noinline)) static void pointed(int rounds) {
    int ring[8] = {1, 2, 3, 4, 5, 6, 7, 8}, left[2] = {0}, right[2] = {0};
    int *at = ring, *middle = ring + rounds % 5, *back = second(left);
    for (int i = 0; i < rounds; i++) {
        *at += *middle & 3;
        at = at == ring + 7 ? ring : at + 1;
        int *chosen = mix(i) & 1 ? left : right;
        chosen[i & 1]++;
        *back += ring[i & 7] & 1;
    }
    for (int i = 0; i < 8; i++) mix(ring[i]);
    printf("%d %d %d %d %u\n", left[0], left[1], right[0], right[1], mixed);
}

/* Objects that have each other's addresses, and one that has its own. */
__attribute__((noinline)) static void linked(int rounds) {
    struct pair one = {1, NULL}, two = {2, &one};
    one.other = &two;
    struct pair self = {5, &self};
    for (int i = 0; i < rounds; i++) {
        one.other->first += i & 3;
        two.other->first ^= two.first;
        self.other->first += self.first & 1;
        struct pair *swap = one.other;
        one.other = two.other;
        two.other = swap;
    }
    printf("%d %d %d\n", one.first, two.first, self.first);
}

/* Larger than what moves, next to a small one; compared with another's address; inner scopes. */
__attribute__((noinline)) static void large(int rounds) {
    unsigned char bytes[40000];
    int small[2] = {0, 0};
    memset(bytes, 3, sizeof bytes);
    for (int i = 0; i < rounds; i++) {
        char scope[16];
        memset(scope, i, sizeof scope);
        bytes[(unsigned)i * 977u % sizeof bytes] += (unsigned char)(scope[3] + small[i & 1]);
        small[i & 1] += (void *)small == (void *)bytes ? 100 : 1;
    }
    uint32_t sum = 0;
    for (size_t i = 0; i < sizeof bytes; i++) sum = sum * 31 + bytes[i];
    printf("%u %d %d\n", sum, small[0], small[1]);
}

/* The loop is left in the middle of two loops, with objects of both. */
__attribute__((noinline)) static void nested(int rounds) {
    long totals[3] = {0};
    for (int i = 0; i < rounds / 100; i++) {
        long row[5];
        for (int j = 0; j < 5; j++) row[j] = i * j;
        for (int j = 0; j < 100; j++) {
            row[j % 5] += totals[j % 3] & 15;
            totals[(i + j) % 3] += row[(j + 2) % 5];
        }
    }
    printf("%ld %ld %ld\n", totals[0], totals[1], totals[2]);
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 300000;
    for (int i = 0; i < 3; i++) {
        alone(rounds + i);
        captured(rounds + i);
        pointed(rounds + i);
        linked(rounds + i);
        large(rounds + i);
        nested(rounds + i);
    }
    return 0;
}
