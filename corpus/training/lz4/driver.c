/* LZ4 at work: a mebibyte compressed in five ways and decompressed.
 *
 * The rounds go through the fast compressor at 17 accelerations, the high
 * compressor with its chains and with its optimal parser, compression to a
 * given size and frames of every block size; then, in each round, two streams
 * of small messages, the fast one decompressed message by message.
 *
 *     lz4 [ROUNDS]
 */
#include "../generated.h"
#include <lz4.h>
#include <lz4frame.h>
#include <lz4hc.h>

enum { SIZE = 1 << 20, ROOM = 2 * SIZE, PIECE = 7000 };

static char *input, *packed, *output;

static void decompress_block(int packed_size, int size) {
    for (int time = 0; time < 3; time++) {
        check(LZ4_decompress_safe(packed, output, packed_size, SIZE) == size, "decompress a block");
        check(memcmp(input, output, (size_t)size) == 0, "get the block back");
    }
    check(LZ4_decompress_safe_partial(packed, output, packed_size, SIZE / 5, SIZE) >= 0, "decompress a part");
}

static int compress_to_size(void) {
    int size = SIZE / 2;
    int packed_size = LZ4_compress_destSize(input, packed, &size, SIZE / 4);
    check(packed_size > 0, "compress to a size");
    check(LZ4_decompress_safe(packed, output, packed_size, SIZE) == size, "decompress a block of given size");
    check(memcmp(input, output, (size_t)size) == 0, "get the block of given size back");
    return packed_size;
}

static void decompress_frame(size_t packed_size) {
    LZ4F_dctx *context;
    check(!LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)), "start to decompress a frame");
    size_t taken = 0, written = 0;
    while (taken < packed_size) {
        size_t room = SIZE - written, piece = packed_size - taken < PIECE ? packed_size - taken : PIECE;
        size_t status = LZ4F_decompress(context, output + written, &room, packed + taken, &piece, NULL);
        check(!LZ4F_isError(status), "decompress a frame");
        taken += piece;
        written += room;
    }
    LZ4F_freeDecompressionContext(context);
    check(written == SIZE && memcmp(input, output, SIZE) == 0, "get the frame back");
}

static int compress_frame(int round) {
    LZ4F_preferences_t how = {.compressionLevel = round % 10};
    how.frameInfo.blockMode = round / 5 % 2 ? LZ4F_blockLinked : LZ4F_blockIndependent;
    how.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    how.frameInfo.blockSizeID = (LZ4F_blockSizeID_t)(LZ4F_max64KB + round / 5 % 3);
    size_t packed_size = LZ4F_compressFrame(packed, ROOM, input, SIZE, &how);
    check(!LZ4F_isError(packed_size), "compress a frame");
    decompress_frame(packed_size);
    return (int)packed_size;
}

/* Compresses in the way of this round, decompresses, gives the packed size. */
static int compress_input(int round) {
    int way = round % 5, size = way == 2 ? SIZE / 4 : SIZE, packed_size;
    switch (way) {
    case 0: packed_size = LZ4_compress_fast(input, packed, size, ROOM, 1 + round % 17); break;
    case 1: packed_size = LZ4_compress_HC(input, packed, size, ROOM, 3 + round % 7); break;
    case 2: packed_size = LZ4_compress_HC(input, packed, size, ROOM, 10 + round % 3); break;
    case 3: return compress_to_size();
    default: return compress_frame(round);
    }
    check(packed_size > 0, "compress a block");
    decompress_block(packed_size, size);
    return packed_size;
}

static uint64_t stream_fast(uint64_t sum) {
    LZ4_stream_t *writer = LZ4_createStream();
    LZ4_streamDecode_t *reader = LZ4_createStreamDecode();
    check(writer && reader, "start a stream");
    char message[4096];
    int end = 0;
    while (end < SIZE / 2) {
        int length = 50 + (int)below(900);
        int packed_length = LZ4_compress_fast_continue(writer, input + end, message, length, sizeof message, 1);
        check(packed_length > 0, "compress a message");
        int got = LZ4_decompress_safe_continue(reader, message, output + end, packed_length, length);
        check(got == length, "decompress a message");
        sum = mix_number(sum, (uint64_t)packed_length);
        end += length;
    }
    check(memcmp(input, output, (size_t)end) == 0, "get the messages back");
    LZ4_freeStream(writer);
    LZ4_freeStreamDecode(reader);
    return sum;
}

static uint64_t stream_high(uint64_t sum, int level) {
    LZ4_streamHC_t *writer = LZ4_createStreamHC();
    check(writer != NULL, "start a stream of the high compressor");
    LZ4_resetStreamHC_fast(writer, level);
    char message[4096];
    int end = 0;
    while (end < SIZE / 8) {
        int length = 50 + (int)below(900);
        int packed_length = LZ4_compress_HC_continue(writer, input + end, message, length, sizeof message);
        check(packed_length > 0, "compress a message high");
        sum = mix(sum, message, (size_t)packed_length);
        end += length;
    }
    LZ4_freeStreamHC(writer);
    return sum;
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv, 165);
    input = allocate(SIZE), packed = allocate(ROOM), output = allocate(SIZE);
    uint64_t sum = 1;
    for (int round = 0; round < rounds; round++) {
        if (round % 4 == 1) write_records((uint8_t *)input, SIZE);
        else if (round % 4 != 3) write_text(input, SIZE); /* in every fourth round the input stays */
        int packed_size = compress_input(round);
        sum = mix(sum, packed, (size_t)packed_size);
        sum = stream_fast(sum);
        sum = stream_high(sum, round % 13);
    }
    print_checksum(sum);
    free(input), free(packed), free(output);
    return 0;
}
