/* What the training drivers share: generated input, a checksum, a way to fail.
 *
 * Everything comes out of one generator with a fixed start, so that a driver
 * does the same work in every run and every build.
 */
#ifndef TRAINING_GENERATED_H
#define TRAINING_GENERATED_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_state = 88172645463325252u;

static inline uint32_t next_random(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33);
}

/* A number from 0 on and less than `limit`. */
static inline uint32_t below(uint32_t limit) {
    return next_random() % limit;
}

static inline void check(int good, const char *what) {
    if (good) return;
    fprintf(stderr, "training driver: failed: %s\n", what);
    exit(1);
}

static inline void *allocate(size_t size) {
    void *memory = malloc(size);
    check(memory != NULL, "allocate memory");
    return memory;
}

/* The number of rounds, the only argument of almost every driver. */
static inline int rounds_of(int argc, char **argv, int usual) {
    return argc > 1 ? atoi(argv[1]) : usual;
}

/* A checksum over every 61st byte: enough to see a difference, cheap beside
 * the work that is measured. */
static inline uint64_t mix(uint64_t sum, const void *bytes, size_t size) {
    const uint8_t *byte = (const uint8_t *)bytes;
    for (size_t i = 0; i < size; i += 61) sum = (sum ^ byte[i]) * 1099511628211u;
    return sum;
}

static inline uint64_t mix_number(uint64_t sum, uint64_t number) {
    return (sum ^ number) * 1099511628211u;
}

static inline void print_checksum(uint64_t sum) {
    printf("checksum %016llx\n", (unsigned long long)sum);
}

/* One of 48 words, the first ones more often. */
static inline const char *next_word(void) {
    static const char *const words[] = {
        "the",      "of",     "count",  "value",  "ledger",   "sample",  "loop",   "branch",  "table",  "alpha",
        "beta",     "gamma",  "stream", "buffer", "window",   "block",   "symbol", "literal", "match",  "length",
        "distance", "tree",   "node",   "header", "checksum", "index",   "record", "field",   "string", "number",
        "vector",   "matrix", "engine", "parser", "token",    "grammar", "state",  "machine", "signal", "filter",
        "a",        "in",     "is",     "to",     "and",      "for",     "with",   "from",
    };
    uint32_t numbers = next_random();
    uint32_t one = numbers % 48, other = (numbers >> 8) % 48;
    return words[one < other ? one : other];
}

/* A word, capitalised at times, or a number, an address, a date, a mask. */
static inline size_t write_token(char *to, size_t room) {
    uint32_t kind = below(100);
    if (kind < 85) {
        size_t length = (size_t)snprintf(to, room, "%s", next_word());
        if (kind < 8) to[0] -= 'a' - 'A';
        return length;
    }
    if (kind < 93) return (size_t)snprintf(to, room, "%u", below(100000));
    if (kind < 96) return (size_t)snprintf(to, room, "user%u@host%u.example.org", below(1000), below(50));
    if (kind < 98) return (size_t)snprintf(to, room, "20%02u-%02u-%02u", below(100), 1 + below(12), 1 + below(28));
    return (size_t)snprintf(to, room, "0x%08x", next_random());
}

/* Text like English prose with numbers, punctuation and lines. */
static inline void write_text(char *text, size_t size) {
    size_t end = 0;
    while (end < size) {
        char token[64];
        size_t length = write_token(token, sizeof token - 2);
        uint32_t mark = below(20);
        token[length++] = mark == 0 ? ',' : mark == 1 ? '.' : mark == 2 ? '\n' : ' ';
        if (mark < 2) token[length++] = ' ';
        if (length > size - end) length = size - end;
        memcpy(text + end, token, length);
        end += length;
    }
}

/* Binary data: counters, runs, noise, repetitions of what stands before. */
static inline void write_records(uint8_t *data, size_t size) {
    size_t end = 0;
    uint32_t counter = 0;
    while (end < size) {
        uint32_t kind = below(8);
        size_t length = 1 + below(200);
        if (length > size - end) length = size - end;
        uint8_t *to = data + end;
        if (kind < 3) {
            for (size_t i = 0; i < length; i++) {
                if (i % 4 == 0) counter += below(7);
                to[i] = (uint8_t)(counter >> (8 * (i % 4)));
            }
        } else if (kind < 5) {
            memset(to, (int)below(256), length);
        } else if (kind < 6) {
            for (size_t i = 0; i < length; i++) to[i] = (uint8_t)next_random();
        } else if (end > 4096) {
            memcpy(to, to - (200 + below(3800)), length);
        } else {
            memset(to, 0, length);
        }
        end += length;
    }
}

/* A text that grows at its end. */
struct document {
    char *text;
    size_t size, room;
};

static inline struct document new_document(size_t room) {
    struct document document = {(char *)allocate(room), 0, room};
    return document;
}

__attribute__((format(printf, 2, 3))) static inline void put(struct document *to, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int length = vsnprintf(to->text + to->size, to->room - to->size, format, values);
    va_end(values);
    check(length >= 0 && (size_t)length < to->room - to->size, "keep a document within its memory");
    to->size += (size_t)length;
}

static inline void put_text(struct document *to, size_t size) {
    check(size < to->room - to->size, "keep a document within its memory");
    write_text(to->text + to->size, size);
    to->size += size;
}

#endif
