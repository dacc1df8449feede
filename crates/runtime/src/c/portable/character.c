// Which kind of character is it? In the C locale, as tables and as functions.
#include "portable.h"

#define UPPER(c) ((c) >= 'A' && (c) <= 'Z')
#define LOWER(c) ((c) >= 'a' && (c) <= 'z')
#define DIGIT(c) ((c) >= '0' && (c) <= '9')
#define HEXADECIMAL(c) (DIGIT(c) || ((c) >= 'a' && (c) <= 'f') || ((c) >= 'A' && (c) <= 'F'))
#define SPACE(c) ((c) == ' ' || ((c) >= '\t' && (c) <= '\r'))
#define ALPHA(c) (UPPER(c) || LOWER(c))
#define GRAPHIC(c) ((c) > 32 && (c) < 127)

int LIBRARY(isupper)(int c) { return UPPER(c); }
int LIBRARY(islower)(int c) { return LOWER(c); }
int LIBRARY(isdigit)(int c) { return DIGIT(c); }
int LIBRARY(isxdigit)(int c) { return HEXADECIMAL(c); }
int LIBRARY(isspace)(int c) { return SPACE(c); }
int LIBRARY(isalpha)(int c) { return ALPHA(c); }
int LIBRARY(isalnum)(int c) { return ALPHA(c) || DIGIT(c); }
int LIBRARY(isgraph)(int c) { return GRAPHIC(c); }
int LIBRARY(isprint)(int c) { return GRAPHIC(c) || c == ' '; }
int LIBRARY(ispunct)(int c) { return GRAPHIC(c) && !ALPHA(c) && !DIGIT(c); }
int LIBRARY(iscntrl)(int c) { return (c >= 0 && c < 32) || c == 127; }
int LIBRARY(isblank)(int c) { return c == ' ' || c == '\t'; }
int LIBRARY(tolower)(int c) { return UPPER(c) ? c + 32 : c; }
int LIBRARY(toupper)(int c) { return LOWER(c) ? c - 32 : c; }

// Bitcode that was compiled with the GNU C library's headers looks into tables of its
// making. They are filled at the first look, and reach from -128 to 255.
enum { B_UPPER = 0x100, B_LOWER = 0x200, B_ALPHA = 0x400, B_DIGIT = 0x800, B_HEXADECIMAL = 0x1000, B_SPACE = 0x2000,
       B_PRINT = 0x4000, B_GRAPHIC = 0x8000, B_BLANK = 1, B_CONTROL = 2, B_PUNCTUATION = 4, B_ALNUM = 8 };

static unsigned short opc_kinds[384];
static int32_t opc_lower[384], opc_upper[384];
static const unsigned short *opc_kinds_at;
static const int32_t *opc_lower_at, *opc_upper_at;

static void opc_fill_tables(void) {
  for (int c = 0; c < 256; c++) {
    unsigned kind = 0;
    if (UPPER(c)) kind |= B_UPPER;
    if (LOWER(c)) kind |= B_LOWER;
    if (ALPHA(c)) kind |= B_ALPHA;
    if (DIGIT(c)) kind |= B_DIGIT;
    if (HEXADECIMAL(c)) kind |= B_HEXADECIMAL;
    if (SPACE(c)) kind |= B_SPACE;
    if (GRAPHIC(c)) kind |= B_GRAPHIC | B_PRINT;
    if (c == ' ') kind |= B_PRINT | B_BLANK;
    if (c == '\t') kind |= B_BLANK;
    if (c < 32 || c == 127) kind |= B_CONTROL;
    if (GRAPHIC(c) && !ALPHA(c) && !DIGIT(c)) kind |= B_PUNCTUATION;
    if (ALPHA(c) || DIGIT(c)) kind |= B_ALNUM;
    opc_kinds[128 + c] = (unsigned short)kind;
  }
  for (int c = -128; c < 256; c++) {
    opc_lower[128 + c] = UPPER(c) ? c + 32 : c;
    opc_upper[128 + c] = LOWER(c) ? c - 32 : c;
  }
  opc_kinds_at = opc_kinds + 128;
  opc_lower_at = opc_lower + 128;
  opc_upper_at = opc_upper + 128;
}

const unsigned short **__ctype_b_loc(void) {
  if (!opc_kinds_at) opc_fill_tables();
  return &opc_kinds_at;
}
const int32_t **__ctype_tolower_loc(void) {
  if (!opc_kinds_at) opc_fill_tables();
  return &opc_lower_at;
}
const int32_t **__ctype_toupper_loc(void) {
  if (!opc_kinds_at) opc_fill_tables();
  return &opc_upper_at;
}
