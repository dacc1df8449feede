/* zstd at work: one compression, four decompressions, all in memory.
 *
 * The input is text-like: words from a vocabulary of 4,096 made-up words in
 * a skewed distribution, with numbers between them, so that the match finder
 * and both entropy coders have work. It is compressed at LEVEL and
 * decompressed ROUNDS times; each result is compared with the input.
 *
 *     zstd [MEBIBYTES [LEVEL [ROUNDS]]]
 *
 * Prints the compressed size and a checksum of the compressed bytes.
 */
#include "zstd.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 4096, LONGEST = 12 };

static uint64_t random_state = 20261121u;

static uint32_t next_random(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33);
}

static void write_text(char *text, size_t size) {
    static char word[WORDS][LONGEST];
    static unsigned length[WORDS];
    for (int w = 0; w < WORDS; w++) {
        length[w] = 2 + next_random() % (LONGEST - 2);
        for (unsigned i = 0; i < length[w]; i++) word[w][i] = (char)('a' + next_random() % 26);
    }
    size_t end = 0;
    while (end < size) {
        uint32_t w = next_random() % WORDS;
        w = w * (next_random() % WORDS) / WORDS; /* small numbers more often */
        size_t take = length[w] < size - end ? length[w] : size - end;
        memcpy(text + end, word[w], take);
        end += take;
        if (end < size) text[end++] = next_random() % 16 ? ' ' : (char)('0' + next_random() % 10);
    }
}

static void fail(const char *doing, size_t code) {
    fprintf(stderr, "zstd driver: %s: %s\n", doing, ZSTD_isError(code) ? ZSTD_getErrorName(code) : "wrong result");
    exit(1);
}

int main(int argc, char **argv) {
    size_t size = (argc > 1 ? (size_t)atoi(argv[1]) : 6) << 20;
    int level = argc > 2 ? atoi(argv[2]) : 6, rounds = argc > 3 ? atoi(argv[3]) : 4;
    size_t bound = ZSTD_compressBound(size);
    char *text = malloc(size), *packed = malloc(bound), *unpacked = malloc(size);
    if (!text || !packed || !unpacked) return 1;
    write_text(text, size);
    size_t packed_size = ZSTD_compress(packed, bound, text, size, level);
    if (ZSTD_isError(packed_size)) fail("compress", packed_size);
    for (int round = 0; round < rounds; round++) {
        memset(unpacked, 0, size);
        size_t got = ZSTD_decompress(unpacked, size, packed, packed_size);
        if (got != size || memcmp(text, unpacked, size) != 0) fail("decompress", got);
    }
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < packed_size; i++) sum = (sum ^ (unsigned char)packed[i]) * 1099511628211u;
    printf("%zu bytes to %zu at level %d, %016llx\n", size, packed_size, level, (unsigned long long)sum);
    free(text), free(packed), free(unpacked);
    return 0;
}
