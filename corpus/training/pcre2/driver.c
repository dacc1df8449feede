/* PCRE2 at work: twenty patterns over 20,000 bytes of text.
 *
 * Each round compiles every pattern anew, with Unicode, without case, with
 * lazy repetition or without the optimisations of the start, and finds all
 * matches; every fourth pattern also replaces them, every fifth also runs in
 * the other matcher, which follows all alternatives at once. No JIT.
 *
 *     pcre2 [ROUNDS]
 */
#include "../generated.h"
#include "../patterns.h"
#include <pcre2.h>

enum { SIZE = 20000, ROOM = 4 * SIZE, WORKSPACE = 4000 };

static const struct pattern own_patterns[] = {
    {"(?s)value.{0,60}?number", 0},
    {"\\p{Lu}\\p{Ll}+|\\p{Nd}{3}", 0},
};

enum { OWN_PATTERNS = sizeof own_patterns / sizeof *own_patterns };

static uint64_t sum = 1;

/* Counts what a search gave; says where the next one starts, or -1 at the
 * end. A search that exceeds the library's limits ends as if it found
 * nothing. */
static long after_match(int result, pcre2_match_data *found, size_t start) {
    if (result == PCRE2_ERROR_NOMATCH || result == PCRE2_ERROR_MATCHLIMIT) return -1;
    check(result >= 0, "match");
    PCRE2_SIZE *place = pcre2_get_ovector_pointer(found);
    sum = mix_number(sum, place[0] * 31 ^ place[1]);
    return (long)(place[1] > start ? place[1] : start + 1);
}

static void match_all(pcre2_code *code, pcre2_match_data *found, const char *text, size_t size) {
    for (long start = 0; start >= 0 && (size_t)start < size;) {
        int result = pcre2_match(code, (PCRE2_SPTR)text, size, (size_t)start, 0, found, NULL);
        start = after_match(result, found, (size_t)start);
    }
}

static void match_all_at_once(pcre2_code *code, pcre2_match_data *found, const char *text, size_t size) {
    static int workspace[WORKSPACE];
    for (long start = 0; start >= 0 && (size_t)start < size;) {
        int result = pcre2_dfa_match(code, (PCRE2_SPTR)text, size, (size_t)start, 0, found, NULL, workspace, WORKSPACE);
        /* Back references and atomic groups are not for this matcher. */
        if (result == PCRE2_ERROR_DFA_UITEM || result == PCRE2_ERROR_DFA_UCOND) return;
        start = after_match(result, found, (size_t)start);
    }
}

static void replace_all(pcre2_code *code, pcre2_match_data *found, const char *text, size_t size, char *output) {
    static const char replacement[] = "<${0}:\\U$0>";
    uint32_t options = PCRE2_SUBSTITUTE_GLOBAL | PCRE2_SUBSTITUTE_EXTENDED;
    PCRE2_SIZE output_size = ROOM;
    int result = pcre2_substitute(code, (PCRE2_SPTR)text, size, 0, options, found, NULL, (PCRE2_SPTR)replacement,
                                  PCRE2_ZERO_TERMINATED, (PCRE2_UCHAR *)output, &output_size);
    if (result == PCRE2_ERROR_MATCHLIMIT) return;
    check(result >= 0, "replace");
    sum = mix(sum, output, output_size);
}

static pcre2_code *compile(const char *pattern, int round) {
    uint32_t options = 0;
    if (round % 3 == 1) options |= PCRE2_UTF | PCRE2_UCP;
    if (round % 5 == 2) options |= PCRE2_CASELESS;
    if (round % 7 == 3) options |= PCRE2_UNGREEDY;
    if (round % 4 == 3) options |= PCRE2_NO_START_OPTIMIZE;
    int error;
    PCRE2_SIZE place;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options, &error, &place, NULL);
    check(code != NULL, pattern);
    return code;
}

static void run_pattern(struct pattern pattern, int number, int round, const char *text, char *output) {
    size_t size = pattern.slow ? SIZE / 4 : SIZE;
    pcre2_code *code = compile(pattern.text, round);
    pcre2_match_data *found = pcre2_match_data_create_from_pattern(code, NULL);
    check(found != NULL, "make room for a match");
    match_all(code, found, text, size);
    if (number % 4 == round % 4) replace_all(code, found, text, size / 4, output);
    if (number % 5 == round % 5) match_all_at_once(code, found, text, size / 8);
    pcre2_match_data_free(found);
    pcre2_code_free(code);
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv, 230);
    char *text = allocate(SIZE), *output = allocate(ROOM);
    for (int round = 0; round < rounds; round++) {
        write_text(text, SIZE);
        for (int n = 0; n < PATTERNS; n++) run_pattern(patterns[n], n, round, text, output);
        for (int n = 0; n < OWN_PATTERNS; n++) run_pattern(own_patterns[n], PATTERNS + n, round, text, output);
    }
    print_checksum(sum);
    free(text), free(output);
    return 0;
}
