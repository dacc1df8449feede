/* Tree-sitter at work: generated C of 12 kB, parsed, edited, parsed again.
 *
 * Each round writes a source file, in every third round with some characters
 * spoilt so that the parser has to recover, builds its tree with the grammar
 * of C, walks it, runs a query of six patterns over it, then inserts four
 * words one after another, and each time parses again from the old tree.
 *
 *     tree-sitter [ROUNDS]
 */
#include "../generated.h"
#include <tree_sitter/api.h>

enum { SIZE = 12000, ROOM = 1 << 20, DEPTH = 3 };

const TSLanguage *tree_sitter_c(void);

static const char query_text[] =
    "(call_expression function: (identifier) @function arguments: (argument_list (_) @argument))"
    "(if_statement condition: (_) @condition)"
    "(function_definition declarator: (function_declarator declarator: (identifier) @name))"
    "((comment) @comment)"
    "(binary_expression left: (identifier) @left right: (number_literal) @right)"
    "(declaration type: (_) @type declarator: (init_declarator)* @declarator)";

static struct document source;
static uint64_t sum = 1;

static void put_name(void) {
    put(&source, "%s", next_word());
    if (below(3) == 0) put(&source, "_%u", below(9));
}

static void put_type(void) {
    static const char *const types[] = {
        "int", "char *", "unsigned long", "struct node *", "const char *", "double", "size_t", "static int", "uint8_t",
    };
    put(&source, "%s ", types[below(9)]);
}

static void put_leaf(void) {
    switch (below(6)) {
    case 0: put(&source, "%u", below(1000)); break;
    case 1: put(&source, "0x%xul", next_random()); break;
    case 2: put(&source, "\"s%u\\n\"", below(10)); break;
    case 3: put(&source, "'%c'", 'a' + below(26)); break;
    case 4: put(&source, "%u.%ue-3f", below(10), below(100)); break;
    default: put_name();
    }
}

static void put_operator(void) {
    static const char *const operators[] = {"+", "-", "*", "/", "<<", "==", "&&", "||", "<", "&", "^", "%"};
    put(&source, "%s", operators[below(12)]);
}

static void put_expression(int depth);
static void put_statement(int depth);

/* Writes a form in which these stand for generated parts:
 *
 *     $n name, $t type, $d digit, $o operator, $w words,
 *     $e expression of the depth, $f a flatter one,
 *     $s statement of the depth, $r a flatter one
 */
static void put_form(const char *form, int expression, int statement) {
    for (; *form; form++) {
        if (*form != '$') {
            put(&source, "%c", *form);
            continue;
        }
        switch (*++form) {
        case 'n': put_name(); break;
        case 't': put_type(); break;
        case 'd': put(&source, "%u", below(64)); break;
        case 'o': put_operator(); break;
        case 'w': put_text(&source, 30); break;
        case 'e': put_expression(expression); break;
        case 'f': put_expression(expression - 1); break;
        case 's': put_statement(statement); break;
        case 'r': put_statement(statement - 1); break;
        default: check(0, "know what a form asks for");
        }
    }
}

static void put_expression(int depth) {
    static const char *const forms[] = {
        "($e)",     "$n($e, $f)", "!$e", "$n->$n[$e]", "$e ? $f : $f", "(unsigned char)$e", "sizeof(struct $n)",
        "$e $o $f", "$e $o $f",
    };
    if (depth <= 0) put_leaf();
    else put_form(forms[below(9)], depth - 1, 0);
}

static void put_statement(int depth) {
    static const char *const forms[] = {
        "$n = $e;\n",
        "return $e;\n",
        "$t$n = $e, $n[$d];\n",
        "$n(&$n, $f); /* $w */\n",
        "if ($e) {\n$s$s} else $s",
        "if ($e) {\n$s$r} else $r",
        "for (int i = 0; i < $f; i++) {\n$s$r}\n",
        "while ($e) $s",
        "switch ($f) {\ncase 0: $r break;\ncase 1: $r break;\ncase 2: $r break;\ndefault: ; }\n",
        "do { $s} while ($f);\n",
        "// $n\n{ goto $n; }\n",
    };
    put_form(forms[below(depth <= 0 ? 4 : 11)], 2 + (int)below(2), depth - 1);
}

static void put_definition(void) {
    static const char *const forms[] = {
        "#define $n(x, y) ((x) + $d * (y))\n",
        "#include <stdio.h>\n",
        "typedef struct $n {\n$t$n;\n$t$n : 3;\n$t$n;\n$t$n;\n} $n_t;\n",
        "enum $n { ONE = 1, OTHER, THIRD = 1 << 4 };\n",
        "#ifdef $n\nstatic const int $n[] = { 1, [3] = 2, { .x = 4 } };\n#else\nextern int $n;\n#endif\n",
    };
    uint32_t form = below(8);
    if (form < 5) {
        put_form(forms[form], 0, 0);
        return;
    }
    put_form("$t$n($t$n, int (*fn)(void *), ...)\n{\n", 0, 0);
    for (uint32_t statements = 2 + below(5); statements > 0; statements--) put_statement(DEPTH);
    put(&source, "}\n\n");
}

static void write_source(int spoil) {
    source.size = 0;
    while (source.size < SIZE) put_definition();
    for (int n = 0; spoil && n < 5; n++) source.text[below((uint32_t)source.size)] = "{};(+"[n];
}

static TSTree *parse(TSParser *parser, const TSTree *old) {
    TSTree *tree = ts_parser_parse_string(parser, old, source.text, (uint32_t)source.size);
    check(tree != NULL, "parse");
    return tree;
}

static void walk(const TSTree *tree) {
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
    for (;;) {
        TSNode node = ts_tree_cursor_current_node(&cursor);
        sum = mix_number(sum, ts_node_symbol(node) ^ ts_node_start_byte(node));
        sum += ts_tree_cursor_current_field_id(&cursor);
        if (ts_tree_cursor_goto_first_child(&cursor)) continue;
        while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
            if (ts_tree_cursor_goto_parent(&cursor)) continue;
            ts_tree_cursor_delete(&cursor);
            return;
        }
    }
}

static void run_query(const TSQuery *query, const TSTree *tree) {
    TSQueryCursor *cursor = ts_query_cursor_new();
    ts_query_cursor_exec(cursor, query, ts_tree_root_node(tree));
    TSQueryMatch match;
    while (ts_query_cursor_next_match(cursor, &match)) sum = mix_number(sum, match.pattern_index);
    ts_query_cursor_delete(cursor);
}

static TSPoint point_at(size_t place) {
    TSPoint point = {0, 0};
    for (size_t i = 0; i < place; i++) {
        point.column++;
        if (source.text[i] == '\n') point.row++, point.column = 0;
    }
    return point;
}

/* Inserts a word somewhere; gives the new tree and frees the old one. */
static TSTree *edit(TSParser *parser, TSTree *old) {
    const char *word = next_word();
    uint32_t length = (uint32_t)strlen(word), place = below((uint32_t)source.size - 200);
    check(source.size + length < ROOM, "keep the source within its memory");
    memmove(source.text + place + length, source.text + place, source.size - place);
    memcpy(source.text + place, word, length);
    source.size += length;
    TSPoint start = point_at(place), end = {start.row, start.column + length};
    TSInputEdit change = {place, place, place + length, start, start, end};
    ts_tree_edit(old, &change);
    TSTree *tree = parse(parser, old);
    uint32_t changed;
    TSRange *ranges = ts_tree_get_changed_ranges(old, tree, &changed);
    sum = mix_number(sum, changed);
    free(ranges);
    ts_tree_delete(old);
    return tree;
}

/* The first definition as text, and the way up from the middle. */
static void look_at(const TSTree *tree) {
    TSNode root = ts_tree_root_node(tree);
    char *text = ts_node_string(ts_node_child(root, 0));
    sum = mix(sum, text, strlen(text));
    free(text);
    uint32_t middle = (uint32_t)source.size / 2;
    TSNode node = ts_node_descendant_for_byte_range(root, middle, middle + 10);
    for (; !ts_node_is_null(node); node = ts_node_parent(node)) sum = mix_number(sum, ts_node_child_count(node));
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv, 360);
    source = new_document(ROOM);
    TSParser *parser = ts_parser_new();
    check(ts_parser_set_language(parser, tree_sitter_c()), "set the language");
    uint32_t place;
    TSQueryError error;
    TSQuery *query = ts_query_new(tree_sitter_c(), query_text, sizeof query_text - 1, &place, &error);
    check(query != NULL, "understand the query");
    for (int round = 0; round < rounds; round++) {
        write_source(round % 3 == 2);
        TSTree *tree = parse(parser, NULL);
        walk(tree);
        run_query(query, tree);
        for (int time = 0; time < 4; time++) tree = edit(parser, tree);
        look_at(tree);
        ts_tree_delete(tree);
    }
    print_checksum(sum);
    ts_query_delete(query);
    ts_parser_delete(parser);
    free(source.text);
    return 0;
}
