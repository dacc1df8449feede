/* Heapsort of numbers, again and again from the same disorder.
 *
 *     heapsort ROUNDS NUMBERS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void sink(uint32_t *heap, size_t at, size_t size) {
    uint32_t value = heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= size) break;
        if (child + 1 < size && heap[child] < heap[child + 1]) child++;
        if (value >= heap[child]) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = value;
}

static void sort(uint32_t *numbers, size_t size) {
    for (size_t at = size / 2; at > 0; at--) sink(numbers, at - 1, size);
    for (size_t last = size - 1; last > 0; last--) {
        uint32_t largest = numbers[0];
        numbers[0] = numbers[last];
        numbers[last] = largest;
        sink(numbers, 0, last);
    }
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 10;
    size_t size = argc > 2 ? (size_t)atoi(argv[2]) : 20000;
    uint32_t *numbers = malloc(sizeof *numbers * size), sum = 0;
    if (!numbers || size < 2) return 1;
    for (int round = 0; round < rounds; round++) {
        uint32_t next = 12345u + (uint32_t)round;
        for (size_t i = 0; i < size; i++) numbers[i] = (next = next * 1664525u + 1013904223u) >> 4;
        sort(numbers, size);
        for (size_t i = 1; i < size; i++)
            if (numbers[i - 1] > numbers[i]) return 1;
        sum = sum * 31 + numbers[size / 2];
    }
    printf("%u\n", sum);
    free(numbers);
    return 0;
}
