/* Oniguruma at work: 24 patterns over 16,000 bytes of text.
 *
 * Each round compiles every pattern anew, in one of five encodings and with
 * one of two syntaxes, without case or for the longest match at times, and
 * finds all matches; every third pattern also searches backwards and tries
 * 300 places one by one. Parentheses in the text give the recursive pattern
 * work.
 *
 *     oniguruma [ROUNDS]
 */
#include "../generated.h"
#include "../patterns.h"
#include <oniguruma.h>

enum { SIZE = 16000, RETRIES = 3000 };

static const struct pattern own_patterns[] = {
    {"\\p{Upper}\\p{Lower}+|\\p{Digit}{3}", 0},
    {"(?m:value.{0,60}?number)", 0},
    {"(?<p>\\((?:[^()]|\\g<p>)*\\))", 0},
    {"(?i:ledger|sample)(?~|end|\\O{0,40})end", 0},
    {"\\h{4,}", 0},
    {"(?<a>\\w)(?<b>\\w)\\k<b>\\k<a>", 0},
};

enum { OWN_PATTERNS = sizeof own_patterns / sizeof *own_patterns };

static uint64_t sum = 1;

static void write_input(UChar *text) {
    write_text((char *)text, SIZE);
    for (int i = 0; i < SIZE; i += 97) {
        if (text[i] == ' ') text[i] = (UChar) "(())"[below(4)];
    }
}

static regex_t *compile(const char *pattern, int number, int round, OnigEncoding encoding) {
    OnigOptionType options = ONIG_OPTION_NONE;
    if (round % 4 == 1) options = ONIG_OPTION_IGNORECASE;
    if (round % 4 == 2) options = ONIG_OPTION_FIND_LONGEST;
    OnigSyntaxType *syntax = number % 7 == 6 ? ONIG_SYNTAX_PERL_NG : ONIG_SYNTAX_ONIGURUMA;
    const UChar *start = (const UChar *)pattern, *end = start + strlen(pattern);
    regex_t *regex;
    OnigErrorInfo error;
    check(onig_new(&regex, start, end, options, encoding, syntax, &error) == ONIG_NORMAL, pattern);
    return regex;
}

/* Whether a search found something; none may fail but by too many retries. */
static int found(int result) {
    check(result >= 0 || result == ONIG_MISMATCH || result == ONIGERR_RETRY_LIMIT_IN_MATCH_OVER, "search");
    return result >= 0;
}

static void search_all(regex_t *regex, OnigRegion *region, const UChar *text, const UChar *end) {
    const UChar *start = text;
    while (start < end && found(onig_search(regex, text, end, start, end, region, ONIG_OPTION_NONE))) {
        sum = mix_number(sum, (uint64_t)(region->beg[0] * 31 ^ region->end[0]));
        const UChar *after = text + region->end[0];
        start = after > start ? after : start + 1;
    }
}

static void search_backwards(regex_t *regex, OnigRegion *region, const UChar *text, const UChar *end) {
    const UChar *start = end;
    for (int time = 0; time < 40 && start > text; time++) {
        int place = onig_search(regex, text, end, start, text, region, ONIG_OPTION_NONE);
        if (!found(place)) break;
        sum = mix_number(sum, (uint64_t)place);
        start = text + place - 1;
    }
}

static void match_places(regex_t *regex, OnigRegion *region, const UChar *text, const UChar *end) {
    for (int place = 0; place < 300; place++) {
        int length = onig_match(regex, text, end, text + place, region, ONIG_OPTION_NONE);
        if (found(length)) sum = mix_number(sum, (uint64_t)length);
    }
}

static void run_pattern(struct pattern pattern, int number, int round, const UChar *text, OnigEncoding encoding) {
    regex_t *regex = compile(pattern.text, number, round, encoding);
    OnigRegion *region = onig_region_new();
    check(region != NULL, "make room for a match");
    const UChar *end = text + (pattern.slow || round % 4 == 2 ? SIZE / 6 : SIZE);
    search_all(regex, region, text, end);
    if (number % 3 == round % 3) {
        search_backwards(regex, region, text, text + SIZE / 8);
        match_places(regex, region, text, end);
    }
    onig_region_free(region, 1);
    onig_free(regex);
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv, 80);
    OnigEncoding encodings[] = {
        ONIG_ENCODING_UTF8, ONIG_ENCODING_ASCII, ONIG_ENCODING_ISO_8859_1, ONIG_ENCODING_SJIS, ONIG_ENCODING_GB18030,
    };
    check(onig_initialize(encodings, 5) == ONIG_NORMAL, "initialise");
    onig_set_retry_limit_in_match(RETRIES);
    UChar *text = allocate(SIZE);
    for (int round = 0; round < rounds; round++) {
        OnigEncoding encoding = encodings[round % 5];
        write_input(text);
        for (int n = 0; n < PATTERNS; n++) run_pattern(patterns[n], n, round, text, encoding);
        for (int n = 0; n < OWN_PATTERNS; n++) run_pattern(own_patterns[n], PATTERNS + n, round, text, encoding);
    }
    print_checksum(sum);
    free(text);
    onig_end();
    return 0;
}
