/* Expat at work: generated documents of 150 kB, parsed in pieces.
 *
 * The documents have nested elements with attributes, name spaces, comments,
 * CDATA sections, processing instructions, entities and a small DTD, in
 * UTF-8, ISO-8859-1 and UTF-16; handlers take all of it into a checksum. Half
 * of the parsers resolve name spaces, a third leave the rarer handlers out.
 *
 *     expat [ROUNDS]
 */
#include "../generated.h"
#include <expat.h>

enum { SIZE = 150000, ROOM = 4 << 20, DEPTH = 6 };

static uint64_t sum = 1;

static void on_start(void *user, const XML_Char *name, const XML_Char **attributes) {
    (void)user;
    sum = mix_number(sum, (unsigned char)name[0]);
    for (; *attributes; attributes += 2) sum = mix_number(sum, strlen(attributes[1]));
}

static void on_end(void *user, const XML_Char *name) {
    (void)user;
    sum = mix_number(sum, strlen(name));
}

static void on_characters(void *user, const XML_Char *text, int length) {
    (void)user;
    sum = mix_number(sum, (uint64_t)length + (unsigned char)text[0]);
}

static void on_comment(void *user, const XML_Char *text) {
    (void)user;
    sum = mix_number(sum, (unsigned char)text[0]);
}

static void on_instruction(void *user, const XML_Char *target, const XML_Char *text) {
    (void)user;
    sum = mix_number(sum, (unsigned char)target[0] + (unsigned char)text[0]);
}

static void on_section(void *user) {
    (void)user;
    sum = mix_number(sum, 1);
}

static void put_start(struct document *to, const char *prefix, const char *name) {
    put(to, "<%s%s", prefix, name);
    uint32_t attributes = below(4);
    for (uint32_t n = 0; n < attributes; n++) {
        put(to, " at%u%c=\"", n, 'a' + below(5));
        for (uint32_t words = 1 + below(3); words > 0; words--) put(to, "%s ", next_word());
        if (below(5) == 0) put(to, "&lt;&#%u;&my;", 65 + below(60));
        put(to, "\"");
    }
}

/* Text in which no character starts markup. */
static void put_plain_text(struct document *to, size_t size) {
    char *start = to->text + to->size;
    put_text(to, size);
    for (size_t i = 0; i < size; i++) {
        if (start[i] == '<' || start[i] == '&') start[i] = ' ';
    }
}

static void put_element(struct document *to, int depth);

static void put_content(struct document *to, int depth) {
    switch (below(9)) {
    case 0: put(to, "<!-- note %u -->", next_random()); break;
    case 1: put(to, "<![CDATA[ raw <b> & %u ]]>", next_random()); break;
    case 2: put(to, "<?proc a=%u?>", below(99)); break;
    case 3: put(to, " &amp; &my; &#x%x; \xc3\xa9\xe2\x82\xac\n", 0x100 + below(0x500)); break;
    case 4: put_plain_text(to, 120); break;
    default: put_element(to, depth - 1);
    }
}

static void put_element(struct document *to, int depth) {
    const char *name = next_word(), *prefix = below(4) == 0 ? "n:" : "";
    put_start(to, prefix, name);
    if (depth == 0 || below(8) == 0) {
        put(to, "/>");
        return;
    }
    put(to, ">");
    for (uint32_t parts = 1 + below(5); parts > 0; parts--) put_content(to, depth);
    put(to, "</%s%s>\n", prefix, name);
}

static void write_document(struct document *to, int round) {
    static const char *const encodings[] = {"UTF-8", "UTF-8", "ISO-8859-1", "UTF-16"};
    to->size = 0;
    put(to, "<?xml version=\"1.0\" encoding=\"%s\"?>\n", encodings[round % 4]);
    put(to, "<!DOCTYPE root [<!ELEMENT root ANY><!ENTITY my \"mine &#38;amp; yours\">"
            "<!ATTLIST value at9 CDATA \"usual\" k NMTOKEN #IMPLIED><!NOTATION gif SYSTEM \"gif\">"
            "<!ENTITY %% pe \"<!ELEMENT zz (a|b)*>\">%%pe;]>\n");
    put(to, "<root xmlns:n=\"urn:x\" xmlns=\"urn:d%d\">", round);
    while (to->size < SIZE) put_element(to, DEPTH);
    put(to, "</root>\n");
}

/* The document in UTF-16, an `e` for each byte outside ASCII. */
static void widen(struct document *to, const struct document *from) {
    static const char byte_order[] = "\xff\xfe";
    memcpy(to->text, byte_order, 2);
    to->size = 2;
    for (size_t i = 0; i < from->size; i++) {
        to->text[to->size++] = (unsigned char)from->text[i] < 128 ? from->text[i] : 'e';
        to->text[to->size++] = 0;
    }
}

static XML_Parser new_parser(int round) {
    XML_Parser parser = round % 2 ? XML_ParserCreateNS(NULL, '|') : XML_ParserCreate(NULL);
    check(parser != NULL, "make a parser");
    XML_SetHashSalt(parser, 12345);
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_characters);
    if (round % 3) {
        XML_SetCommentHandler(parser, on_comment);
        XML_SetProcessingInstructionHandler(parser, on_instruction);
        XML_SetCdataSectionHandler(parser, on_section, on_section);
    }
    XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_ALWAYS);
    return parser;
}

static void parse(int round, const struct document *document) {
    XML_Parser parser = new_parser(round);
    size_t taken = 0;
    while (taken < document->size) {
        size_t left = document->size - taken, piece = round % 5 == 4 ? left : 500 + below(8000);
        if (piece > left) piece = left;
        enum XML_Status status = XML_Parse(parser, document->text + taken, (int)piece, piece == left);
        check(status == XML_STATUS_OK, XML_ErrorString(XML_GetErrorCode(parser)));
        taken += piece;
    }
    sum = mix_number(sum, XML_GetCurrentLineNumber(parser));
    XML_ParserFree(parser);
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv, 1500);
    struct document narrow = new_document(ROOM), wide = new_document(2 * ROOM + 2);
    for (int round = 0; round < rounds; round++) {
        write_document(&narrow, round);
        if (round % 4 == 3) widen(&wide, &narrow);
        parse(round, round % 4 == 3 ? &wide : &narrow);
    }
    print_checksum(sum);
    free(narrow.text), free(wide.text);
    return 0;
}
