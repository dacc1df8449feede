/* liblzma at work: 200,000 bytes compressed once and decompressed three times.
 *
 * The rounds go through seven presets with the match finders and the literal
 * settings varied, the filters for x86 code and for deltas, four checks and
 * the old format of .lzma files. The decoder finds out the format by itself
 * and gets its input once in pieces of 3,000 bytes, then whole.
 *
 *     xz [ROUNDS]
 */
#include "../generated.h"
#include <lzma.h>

enum { SIZE = 200000, ROOM = 2 * SIZE, PIECE = 3000 };

/* Text or records; in rounds of the x86 filter with what looks like calls. */
static void write_input(uint8_t *input, int round) {
    if (round % 2) write_records(input, SIZE);
    else write_text((char *)input, SIZE);
    if (round % 5 != 3) return;
    for (size_t i = 0; i + 5 < SIZE; i += 23) {
        input[i] = 0xe8;
        input[i + 3] = input[i + 4] = 0;
    }
}

static lzma_options_lzma options_of(int round) {
    lzma_options_lzma options;
    check(!lzma_lzma_preset(&options, (uint32_t)round % 7), "take a preset");
    options.dict_size = 1 << 18;
    if (round % 3 == 1) options.lc = 0, options.lp = 2, options.pb = 2;
    if (round % 4 == 2) {
        options.mf = round % 8 == 2 ? LZMA_MF_BT2 : LZMA_MF_BT3;
        options.mode = LZMA_MODE_NORMAL;
    }
    return options;
}

static size_t compress_alone(lzma_options_lzma *options, const uint8_t *input, uint8_t *packed) {
    lzma_stream stream = LZMA_STREAM_INIT;
    check(lzma_alone_encoder(&stream, options) == LZMA_OK, "start the old format");
    stream.next_in = input, stream.avail_in = SIZE;
    stream.next_out = packed, stream.avail_out = ROOM;
    lzma_ret status = LZMA_OK;
    while (status == LZMA_OK) status = lzma_code(&stream, LZMA_FINISH);
    check(status == LZMA_STREAM_END, "compress in the old format");
    size_t packed_size = stream.total_out;
    lzma_end(&stream);
    return packed_size;
}

static size_t compress_xz(int round, lzma_options_lzma *options, const uint8_t *input, uint8_t *packed) {
    static const lzma_check checks[] = {LZMA_CHECK_CRC32, LZMA_CHECK_CRC64, LZMA_CHECK_SHA256, LZMA_CHECK_NONE};
    lzma_options_delta delta = {.type = LZMA_DELTA_TYPE_BYTE, .dist = 1 + (uint32_t)round % 8};
    lzma_filter filters[3];
    int used = 0;
    if (round % 5 == 3) filters[used++] = (lzma_filter){LZMA_FILTER_X86, NULL};
    if (round % 5 == 4) filters[used++] = (lzma_filter){LZMA_FILTER_DELTA, &delta};
    filters[used++] = (lzma_filter){LZMA_FILTER_LZMA2, options};
    filters[used] = (lzma_filter){LZMA_VLI_UNKNOWN, NULL};
    size_t packed_size = 0;
    lzma_ret status =
        lzma_stream_buffer_encode(filters, checks[round % 4], NULL, input, SIZE, packed, &packed_size, ROOM);
    check(status == LZMA_OK, "compress");
    return packed_size;
}

static void decompress(const uint8_t *packed, size_t packed_size, uint8_t *output, size_t piece_size) {
    lzma_stream stream = LZMA_STREAM_INIT;
    check(lzma_auto_decoder(&stream, UINT64_MAX, 0) == LZMA_OK, "start to decompress");
    stream.next_in = packed;
    stream.next_out = output, stream.avail_out = SIZE;
    size_t taken = 0;
    lzma_ret status = LZMA_OK;
    while (status == LZMA_OK) {
        if (stream.avail_in == 0) {
            size_t piece = packed_size - taken < piece_size ? packed_size - taken : piece_size;
            stream.avail_in = piece;
            taken += piece;
        }
        status = lzma_code(&stream, taken == packed_size ? LZMA_FINISH : LZMA_RUN);
    }
    check(status == LZMA_STREAM_END && stream.total_out == SIZE, "decompress");
    lzma_end(&stream);
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv, 105);
    uint8_t *input = allocate(SIZE), *packed = allocate(ROOM), *output = allocate(SIZE);
    uint64_t sum = 1;
    for (int round = 0; round < rounds; round++) {
        write_input(input, round);
        lzma_options_lzma options = options_of(round);
        size_t packed_size =
            round % 7 == 6 ? compress_alone(&options, input, packed) : compress_xz(round, &options, input, packed);
        sum = mix(sum, packed, packed_size);
        for (int time = 0; time < 3; time++) {
            decompress(packed, packed_size, output, time == 0 ? PIECE : packed_size);
            check(memcmp(input, output, SIZE) == 0, "get the input back");
        }
    }
    print_checksum(sum);
    free(input), free(packed), free(output);
    return 0;
}
