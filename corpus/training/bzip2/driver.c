/* libbz2 at work: blocks of 400,000 bytes, compressed and decompressed.
 *
 * The rounds go through four kinds of input: text, records, one long
 * repetition and noise. With every block size and with two work factors, both
 * sorts of the compressor get work. Decompression alternates between the call
 * for a whole buffer and the stream fed in small pieces, and between the fast
 * decoder and the one that saves memory.
 *
 *     bzip2 [ROUNDS]
 */
#include "../generated.h"
#include <bzlib.h>

enum { SIZE = 400000, ROOM = 2 * SIZE, PIECE = 777 };

/* The library calls this when built without stdio. */
void bz_internal_error(int code) {
    fprintf(stderr, "bzip2: internal error %d\n", code);
    exit(1);
}

static void write_repetition(char *input, int period) {
    for (int i = 0; i < SIZE; i++) input[i] = i / period % 2 ? 'b' : 'a';
    write_text(input + SIZE / 2, SIZE / 8);
}

static void write_noise(char *input, uint32_t values) {
    for (int i = 0; i < SIZE; i++) input[i] = (char)below(values);
}

static void write_input(char *input, int round) {
    switch (round % 4) {
    case 0: write_text(input, SIZE); break;
    case 1: write_records((uint8_t *)input, SIZE); break;
    case 2: write_repetition(input, 1 + round); break;
    default: write_noise(input, round % 8 == 3 ? 256 : 16);
    }
}

static void decompress_whole(char *packed, unsigned packed_size, char *output, int small) {
    unsigned size = SIZE;
    int status = BZ2_bzBuffToBuffDecompress(output, &size, packed, packed_size, small, 0);
    check(status == BZ_OK && size == SIZE, "decompress a buffer");
}

static void decompress_pieces(char *packed, unsigned packed_size, char *output, int small) {
    bz_stream stream = {.next_out = output, .avail_out = SIZE};
    check(BZ2_bzDecompressInit(&stream, 0, small) == BZ_OK, "start to decompress");
    unsigned taken = 0;
    int status = BZ_OK;
    while (status == BZ_OK) {
        if (stream.avail_in == 0) {
            unsigned piece = packed_size - taken < PIECE ? packed_size - taken : PIECE;
            stream.next_in = packed + taken;
            stream.avail_in = piece;
            taken += piece;
        }
        status = BZ2_bzDecompress(&stream);
    }
    check(status == BZ_STREAM_END && stream.avail_out == 0, "decompress a stream");
    BZ2_bzDecompressEnd(&stream);
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv, 90);
    char *input = allocate(SIZE), *packed = allocate(ROOM), *output = allocate(SIZE);
    uint64_t sum = 1;
    for (int round = 0; round < rounds; round++) {
        write_input(input, round);
        unsigned packed_size = ROOM;
        int block = 1 + round % 9, work = round % 3 == 0 ? 1 : 30;
        int status = BZ2_bzBuffToBuffCompress(packed, &packed_size, input, SIZE, block, 0, work);
        check(status == BZ_OK, "compress");
        sum = mix(sum, packed, packed_size);
        if (round % 2) decompress_whole(packed, packed_size, output, round % 4 == 1);
        else decompress_pieces(packed, packed_size, output, round % 4 == 0);
        check(memcmp(input, output, SIZE) == 0, "get the input back");
    }
    print_checksum(sum);
    free(input), free(packed), free(output);
    return 0;
}
