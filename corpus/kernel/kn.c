/* A kernel like a contestant's bot: five kinds of inner loop, nothing else.
 *
 * Each repetition runs a breadth-first search over a 256 x 256 maze, a
 * 96 x 96 x 96 integer matrix product, a longest common subsequence of two
 * strings of 1024, a sieve up to 60,000 and an alpha-beta search over a
 * made-up game. The five lean on different things: queue and branches, dense
 * arithmetic, a data-dependent minimum, strided stores, and recursion.
 *
 *     kn [REPETITIONS]
 *
 * All input comes from one generator with a fixed seed and all arithmetic is
 * on unsigned integers, so every build prints the same line.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 256, DIM = 96, TEXT = 1024, PRIMES = 60000, DEPTH = 7, MOVES = 5 };

static uint32_t random_state = 20261121u;

static uint32_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

/* ---- breadth-first search -------------------------------------------- */

static unsigned char wall[SIDE * SIDE];
static uint16_t distance[SIDE * SIDE];
static uint32_t queue[SIDE * SIDE];

static void dig_maze(void) {
    for (int cell = 0; cell < SIDE * SIDE; cell++) wall[cell] = next_random() % 100 < 28;
    wall[0] = 0;
}

static uint32_t search_maze(uint32_t start) {
    static const int step_x[4] = {1, 0, -1, 0}, step_y[4] = {0, 1, 0, -1};
    memset(distance, 0xff, sizeof distance);
    uint32_t head = 0, tail = 0, sum = 0;
    distance[start] = 0;
    queue[tail++] = start;
    while (head < tail) {
        uint32_t cell = queue[head++];
        int x = (int)(cell % SIDE), y = (int)(cell / SIDE);
        sum += distance[cell];
        for (int way = 0; way < 4; way++) {
            int nx = x + step_x[way], ny = y + step_y[way];
            if (nx < 0 || ny < 0 || nx >= SIDE || ny >= SIDE) continue;
            uint32_t next = (uint32_t)(ny * SIDE + nx);
            if (wall[next] || distance[next] != 0xffff) continue;
            distance[next] = (uint16_t)(distance[cell] + 1);
            queue[tail++] = next;
        }
    }
    return sum + tail;
}

/* ---- matrix product --------------------------------------------------- */

static uint32_t left[DIM][DIM], right[DIM][DIM], product[DIM][DIM];

static void fill_matrices(void) {
    for (int i = 0; i < DIM; i++)
        for (int j = 0; j < DIM; j++) left[i][j] = next_random() & 0xff, right[i][j] = next_random() & 0xff;
}

static uint32_t multiply(uint32_t salt) {
    left[salt % DIM][salt % 7] += salt;
    for (int i = 0; i < DIM; i++)
        for (int j = 0; j < DIM; j++) {
            uint32_t sum = 0;
            for (int k = 0; k < DIM; k++) sum += left[i][k] * right[k][j];
            product[i][j] = sum;
        }
    uint32_t trace = 0;
    for (int i = 0; i < DIM; i++) trace += product[i][i];
    return trace;
}

/* ---- longest common subsequence --------------------------------------- */

static char first[TEXT], second[TEXT];

static void write_texts(void) {
    for (int i = 0; i < TEXT; i++)
        first[i] = (char)('a' + next_random() % 6), second[i] = (char)('a' + next_random() % 6);
}

static uint32_t common_subsequence(uint32_t salt) {
    static uint16_t row[2][TEXT + 1];
    second[salt % TEXT] = (char)('a' + salt % 6);
    memset(row, 0, sizeof row);
    for (int i = 1; i <= TEXT; i++) {
        const uint16_t *above = row[(i - 1) & 1];
        uint16_t *here = row[i & 1];
        for (int j = 1; j <= TEXT; j++)
            if (first[i - 1] == second[j - 1]) here[j] = (uint16_t)(above[j - 1] + 1);
            else here[j] = above[j] > here[j - 1] ? above[j] : here[j - 1];
    }
    return row[TEXT & 1][TEXT];
}

/* ---- sieve of Eratosthenes -------------------------------------------- */

static unsigned char composite[PRIMES];

static uint32_t sieve(void) {
    memset(composite, 0, sizeof composite);
    uint32_t primes = 0;
    for (uint32_t n = 2; n < PRIMES; n++) {
        if (composite[n]) continue;
        primes++;
        for (uint64_t multiple = (uint64_t)n * n; multiple < PRIMES; multiple += n) composite[multiple] = 1;
    }
    return primes;
}

/* ---- alpha-beta ------------------------------------------------------- */

static uint32_t mix(uint32_t h) {
    h ^= h >> 16, h *= 0x7feb352du;
    h ^= h >> 15, h *= 0x846ca68bu;
    return h ^ (h >> 16);
}

static int alpha_beta(uint32_t position, int depth, int alpha, int beta) {
    if (depth == 0) return (int)(mix(position) % 2001) - 1000;
    for (uint32_t move = 0; move < MOVES; move++) {
        int score = -alpha_beta(mix(position * MOVES + move + 1), depth - 1, -beta, -alpha);
        if (score >= beta) return beta;
        if (score > alpha) alpha = score;
    }
    return alpha;
}

int main(int argc, char **argv) {
    uint32_t repetitions = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 46;
    dig_maze(), fill_matrices(), write_texts();
    uint32_t maze = 0, matrix = 0, text = 0, primes = 0, game = 0;
    for (uint32_t n = 0; n < repetitions; n++) {
        maze += search_maze(0);
        matrix = mix(matrix + multiply(n));
        text += common_subsequence(n * 31);
        primes += sieve();
        game = mix(game + (uint32_t)alpha_beta(n, DEPTH, -10000, 10000));
    }
    printf("maze %u matrix %u text %u primes %u game %u\n", maze, matrix, text, primes, game);
    return 0;
}
