/* Regular expressions that both libraries of them understand. */
#ifndef TRAINING_PATTERNS_H
#define TRAINING_PATTERNS_H

#include <stddef.h>

struct pattern {
    const char *text;
    /* It backtracks much: over a fraction of the text only. */
    int slow;
};

static const struct pattern patterns[] = {
    {"\\b(\\w+)\\s+\\1\\b", 0},
    {"(?i)\\b(stream|buffer|block)s?\\b[,.]?", 0},
    {"[a-z]+\\d+@[a-z0-9.]+\\.(?:org|com)", 0},
    {"(\\d{4})-(\\d{2})-(\\d{2})", 0},
    {"(?m)^[A-Z][^.\\n]{10,80}\\.", 0},
    {"(?<=the )\\w+(?= of)", 0},
    {"0x[0-9a-f]{8}", 0},
    {"(?:a|ab|abc|le)+[dt]", 0},
    {"(?m)(\\w+),\\s(\\w+)(?!.*value)$", 0},
    {"((t|n|s)(o|r|e)*){2,5}x?", 1},
    {"[^aeiou\\s]{4,}", 0},
    {"\\b(?:alpha|beta|gamma)\\b.*?\\b(?:tree|node)\\b", 0},
    {"(?>\\d+)\\s*[a-z]", 0},
    {"(?<word>[a-z]{5,})\\s\\k<word>", 0},
    {"(?x) ( [0-9]+ | [a-z]+ ) \\s (?: in | is ) \\s", 0},
    {"(?:(?:x+)x)+y|zzz", 1},
    {"(\\w)(\\w)?(\\w)?e\\3?\\2?\\1", 1},
    {"[[:upper:]][[:alpha:]]*[[:space:]][[:digit:]]+", 0},
};

enum { PATTERNS = sizeof patterns / sizeof *patterns };

#endif
