/* libwebp at work: generated pictures are compressed and decompressed.
 *
 * KIND 0 is a photograph of sorts: smooth waves with noise. KIND 1 is a drawing: rectangles of few colours.
 * Each picture is compressed with losses at QUALITY, and each fourth one without losses; all are decompressed.
 *
 *     webp PICTURES [WIDTH [QUALITY [KIND]]]
 *
 * Prints the compressed size and a checksum of all that was compressed and decompressed.
 */
#include "src/webp/decode.h"
#include "src/webp/encode.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 20261128u, sum = 14695981039346656037u, packed_bytes;

static uint32_t below(uint32_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % limit;
}

static void mix(const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i += 7) sum = (sum ^ bytes[i]) * 1099511628211u;
}

/* A wave without the math library, so that all machines draw the same. */
static int wave(int at, int length) {
    int phase = at % (2 * length);
    return (phase < length ? phase : 2 * length - phase) * 255 / length;
}

static void photograph(uint8_t *pixels, int width, int height) {
    int lengths[3] = {20 + (int)below(90), 20 + (int)below(90), 20 + (int)below(90)};
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            for (int color = 0; color < 3; color++) {
                int value = (wave(x + y * color, lengths[color]) + wave(y, lengths[2 - color])) / 2 + (int)below(24);
                *pixels++ = (uint8_t)(value > 255 ? 255 : value);
            }
        }
    }
}

static void drawing(uint8_t *pixels, int width, int height) {
    for (int i = 0; i < width * height * 3; i++) pixels[i] = 240;
    for (int number = 0; number < 60; number++) {
        int left = (int)below((uint32_t)width), top = (int)below((uint32_t)height);
        int right = left + (int)below(80), bottom = top + (int)below(60);
        uint8_t color[3] = {(uint8_t)(below(4) * 80), (uint8_t)(below(4) * 80), (uint8_t)(below(4) * 80)};
        for (int y = top; y < bottom && y < height; y++)
            for (int x = left; x < right && x < width; x++)
                for (int c = 0; c < 3; c++) pixels[(y * width + x) * 3 + c] = color[c];
    }
}

static int both_ways(const uint8_t *pixels, int width, int height, int quality, int lossless) {
    uint8_t *packed = NULL;
    size_t size = lossless ? WebPEncodeLosslessRGB(pixels, width, height, width * 3, &packed)
                           : WebPEncodeRGB(pixels, width, height, width * 3, (float)quality, &packed);
    if (!size) return 0;
    packed_bytes += size;
    mix(packed, size);
    int got_width, got_height;
    uint8_t *unpacked = WebPDecodeRGB(packed, size, &got_width, &got_height);
    if (!unpacked || got_width != width || got_height != height) return 0;
    mix(unpacked, (size_t)width * (size_t)height * 3);
    WebPFree(unpacked);
    WebPFree(packed);
    return 1;
}

int main(int argc, char **argv) {
    int pictures = argc > 1 ? atoi(argv[1]) : 4, width = argc > 2 ? atoi(argv[2]) : 320;
    int quality = argc > 3 ? atoi(argv[3]) : 75, kind = argc > 4 ? atoi(argv[4]) : 0;
    int height = width * 3 / 4;
    uint8_t *pixels = malloc((size_t)width * (size_t)height * 3);
    if (!pixels || width < 1) return 1;
    for (int number = 0; number < pictures; number++) {
        (kind == 1 ? drawing : photograph)(pixels, width, height);
        if (!both_ways(pixels, width, height, quality, number % 4 == 3)) {
            fprintf(stderr, "webp driver: picture %d did not survive\n", number);
            return 1;
        }
    }
    free(pixels);
    printf("%llu bytes, checksum %016llx\n", (unsigned long long)packed_bytes, (unsigned long long)sum);
    return 0;
}
