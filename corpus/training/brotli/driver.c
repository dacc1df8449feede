/* Brotli at work: 250,000 bytes compressed once and decompressed four times.
 *
 * The rounds go through all twelve qualities, each of which has a match
 * finder and a block splitter of its own, with five window sizes and three
 * modes; the two slowest get a fifth of the input. Decompression alternates
 * between one call and a stream in pieces of 2,000 bytes.
 *
 *     brotli [ROUNDS]
 */
#include "../generated.h"
#include <brotli/decode.h>
#include <brotli/encode.h>

enum { SIZE = 250000, ROOM = 2 * SIZE, PIECE = 2000, QUALITIES = 12 };

static void decompress_whole(const uint8_t *packed, size_t packed_size, uint8_t *output, size_t size) {
    size_t got = SIZE;
    BrotliDecoderResult result = BrotliDecoderDecompress(packed_size, packed, &got, output);
    check(result == BROTLI_DECODER_RESULT_SUCCESS && got == size, "decompress");
}

static void decompress_pieces(const uint8_t *packed, size_t packed_size, uint8_t *output, size_t size) {
    BrotliDecoderState *decoder = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    check(decoder != NULL, "start to decompress");
    size_t taken = 0, room = SIZE;
    BrotliDecoderResult result = BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT;
    while (result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT) {
        size_t piece = packed_size - taken < PIECE ? packed_size - taken : PIECE;
        check(piece > 0, "end the stream with its input");
        const uint8_t *next = packed + taken;
        taken += piece;
        result = BrotliDecoderDecompressStream(decoder, &piece, &next, &room, &output, NULL);
    }
    check(result == BROTLI_DECODER_RESULT_SUCCESS && SIZE - room == size, "decompress a stream");
    BrotliDecoderDestroyInstance(decoder);
}

int main(int argc, char **argv) {
    static const BrotliEncoderMode modes[] = {BROTLI_MODE_TEXT, BROTLI_MODE_GENERIC, BROTLI_MODE_FONT};
    int rounds = rounds_of(argc, argv, 250);
    uint8_t *input = allocate(SIZE), *packed = allocate(ROOM), *output = allocate(SIZE);
    uint64_t sum = 1;
    for (int round = 0; round < rounds; round++) {
        int quality = round % QUALITIES, window = 18 + round % 5;
        size_t size = quality >= 10 ? SIZE / 5 : SIZE, packed_size = ROOM;
        if (round % 3 == 1) write_records(input, SIZE);
        else write_text((char *)input, SIZE);
        check(BrotliEncoderCompress(quality, window, modes[round % 3], size, input, &packed_size, packed), "compress");
        sum = mix(sum, packed, packed_size);
        for (int time = 0; time < 4; time++) {
            if (time % 2) decompress_pieces(packed, packed_size, output, size);
            else decompress_whole(packed, packed_size, output, size);
            check(memcmp(input, output, size) == 0, "get the input back");
        }
    }
    print_checksum(sum);
    free(input), free(packed), free(output);
    return 0;
}
