/* zlib at work: 300,000 bytes deflated and inflated again, in pieces.
 *
 * The rounds go through every level, strategy, memory size and three formats
 * (zlib, raw, gzip), with flushes between the pieces, a preset dictionary and
 * a change of level in the middle of a stream. That takes each of deflate's
 * ways to find matches and to write blocks, and both the fast and the careful
 * loop of inflate; the checksums of zlib run over all of it.
 *
 *     zlib [ROUNDS]
 */
#include "../generated.h"
#include <zlib.h>

enum { SIZE = 300000, ROOM = 2 * SIZE };

/* How one round calls the library. */
struct setting {
    int round, level, strategy, memory;
    int window_bits; /* negative: raw; more than 15: gzip */
};

static const char dictionary[] = "the of count value ledger sample loop";

static struct setting setting_of(int round) {
    static const int strategies[] = {
        Z_DEFAULT_STRATEGY, Z_DEFAULT_STRATEGY, Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED,
    };
    static const int window_bits[] = {15, -13, 31};
    return (struct setting){
        .round = round,
        .level = round % 10,
        .strategy = strategies[round % 7],
        .memory = 1 + round % 9,
        .window_bits = window_bits[round % 3],
    };
}

static int has_dictionary(struct setting how) {
    return how.round % 5 == 0 && how.window_bits != 31;
}

static void write_input(uint8_t *input, int round) {
    switch (round % 3) {
    case 0: write_text((char *)input, SIZE); break;
    case 1: write_records(input, SIZE); break;
    default:
        write_text((char *)input, SIZE / 2);
        for (size_t i = SIZE / 2; i < SIZE; i++) input[i] = (uint8_t)(i * i >> 7) ^ (uint8_t)below(4);
    }
}

static int flush_of(int round) {
    return round % 4 == 1 ? Z_SYNC_FLUSH : round % 4 == 2 ? Z_FULL_FLUSH : Z_NO_FLUSH;
}

static size_t compress_pieces(struct setting how, uint8_t *input, uint8_t *packed) {
    z_stream stream = {.next_in = input, .next_out = packed, .avail_out = ROOM};
    int status = deflateInit2(&stream, how.level, Z_DEFLATED, how.window_bits, how.memory, how.strategy);
    check(status == Z_OK, "start to deflate");
    if (has_dictionary(how)) {
        status = deflateSetDictionary(&stream, (const Bytef *)dictionary, sizeof dictionary - 1);
        check(status == Z_OK, "set the dictionary");
    }
    for (uint32_t left = SIZE; left > 0;) {
        uint32_t piece = 1000 + below(60000);
        if (piece > left) piece = left;
        left -= piece;
        stream.avail_in = piece;
        check(deflate(&stream, left ? flush_of(how.round) : Z_FINISH) >= 0, "deflate");
        if (left && how.round % 11 == 7) {
            check(deflateParams(&stream, (how.level + 3) % 10, Z_DEFAULT_STRATEGY) == Z_OK, "change the level");
        }
    }
    size_t packed_size = stream.total_out;
    check(deflateEnd(&stream) == Z_OK, "end to deflate");
    return packed_size;
}

static void set_dictionary(z_stream *stream) {
    int status = inflateSetDictionary(stream, (const Bytef *)dictionary, sizeof dictionary - 1);
    check(status == Z_OK, "inflate with the dictionary");
}

static void decompress_pieces(struct setting how, uint8_t *packed, size_t packed_size, uint8_t *output) {
    int whole = how.round % 2;
    z_stream stream = {.next_in = packed, .next_out = output};
    int window_bits = how.window_bits == 31 ? 47 : how.window_bits; /* 47: find out which format */
    check(inflateInit2(&stream, window_bits) == Z_OK, "start to inflate");
    if (has_dictionary(how) && how.window_bits < 0) set_dictionary(&stream);
    size_t taken = 0;
    int status = Z_OK;
    while (status != Z_STREAM_END) {
        if (stream.avail_in == 0) {
            size_t piece = whole ? packed_size : 1 + below(3000);
            if (piece > packed_size - taken) piece = packed_size - taken;
            stream.avail_in = (uInt)piece;
            taken += piece;
        }
        size_t left = SIZE - stream.total_out;
        stream.avail_out = (uInt)(whole || left < 5000 ? left : 5000);
        status = inflate(&stream, Z_NO_FLUSH);
        if (status == Z_NEED_DICT) set_dictionary(&stream);
        else check(status >= 0, "inflate");
    }
    check(stream.total_out == SIZE, "inflate to the size of the input");
    inflateEnd(&stream);
}

static uint64_t mix_checksums(uint64_t sum, const uint8_t *input, const uint8_t *packed, size_t packed_size) {
    uLong whole = crc32(0, input, SIZE);
    uLong joined = crc32_combine(crc32(0, input, 100), crc32(0, input + 100, SIZE - 100), SIZE - 100);
    check(whole == joined, "combine two checksums");
    return mix_number(mix_number(sum, whole), adler32(1, packed, (uInt)packed_size));
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv, 250);
    uint8_t *input = allocate(SIZE), *packed = allocate(ROOM), *output = allocate(SIZE);
    uint64_t sum = 1;
    for (int round = 0; round < rounds; round++) {
        struct setting how = setting_of(round);
        write_input(input, round);
        size_t packed_size = compress_pieces(how, input, packed);
        sum = mix(sum, packed, packed_size);
        decompress_pieces(how, packed, packed_size, output);
        check(memcmp(input, output, SIZE) == 0, "get the input back");
        sum = mix_checksums(sum, input, packed, packed_size);
    }
    print_checksum(sum);
    free(input), free(packed), free(output);
    return 0;
}
