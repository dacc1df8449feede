/* FreeType at work: generated fonts, hinted, stroked and rendered.
 *
 * Each round writes a Type 1 font of random outlines, encrypted as the format
 * asks, loads its letters at three sizes with four ways of hinting and renders
 * them in the six modes the library has, some after emboldening, slanting or
 * stroking the outline. Then it does the like with a BDF font of bitmaps, and
 * computes some angles and quotients in fixed point.
 *
 *     freetype [ROUNDS]
 */
#include "../generated.h"
#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_BBOX_H
#include FT_BITMAP_H
#include FT_GLYPH_H
#include FT_OUTLINE_H
#include FT_STROKER_H
#include FT_TRIGONOMETRY_H

enum { ROOM = 1 << 20, LETTERS = 52, BITMAPS = 100, FIRST_BITMAP = 32 };

static FT_Library library;
static uint64_t sum = 1;

static void mix_bitmap(const FT_Bitmap *bitmap) {
    size_t row = (size_t)abs(bitmap->pitch);
    sum = mix(sum, bitmap->buffer, bitmap->rows * row);
    sum = mix_number(sum, bitmap->width);
}

static int between(int least, int most) {
    return least + (int)below((uint32_t)(most - least));
}

/* The program of one letter in the language of Type 1 fonts. */
struct program {
    uint8_t code[800];
    size_t size;
};

enum {
    HSTEM = 1,
    VSTEM = 3,
    RLINETO = 5,
    HLINETO = 6,
    VLINETO = 7,
    RRCURVETO = 8,
    CLOSEPATH = 9,
    HSBW = 13,
    ENDCHAR = 14,
    RMOVETO = 21
};

static void add_byte(struct program *to, int byte) {
    check(to->size < sizeof to->code, "keep a program within its memory");
    to->code[to->size++] = (uint8_t)byte;
}

/* A number of at most 1131 in magnitude. */
static void add_number(struct program *to, int number) {
    if (abs(number) <= 107) {
        add_byte(to, number + 139);
        return;
    }
    int rest = abs(number) - 108;
    add_byte(to, (number > 0 ? 247 : 251) + (rest >> 8));
    add_byte(to, rest);
}

static void add_step(struct program *to, int first, int second, int operator) {
    add_number(to, first);
    add_number(to, second);
    add_byte(to, operator);
}

static void add_segment(struct program *to) {
    switch (below(5)) {
    case 0:
    case 1:
        add_number(to, between(-200, 200));
        add_byte(to, below(2) ? HLINETO : VLINETO);
        break;
    case 2: add_step(to, between(-150, 150), between(-150, 150), RLINETO); break;
    default:
        for (int n = 0; n < 6; n++) add_number(to, between(-120, 120));
        add_byte(to, RRCURVETO);
    }
}

static struct program random_letter(void) {
    struct program letter = {.size = 0};
    add_step(&letter, 20, 600, HSBW);
    add_step(&letter, 0, 60, HSTEM);
    add_step(&letter, 100, 80, VSTEM);
    add_step(&letter, between(0, 200), between(0, 200), RMOVETO);
    for (int contours = between(1, 4); contours > 0; contours--) {
        for (int segments = between(3, 11); segments > 0; segments--) add_segment(&letter);
        add_byte(&letter, CLOSEPATH);
        if (contours > 1) add_step(&letter, between(-150, 150), between(-150, 150), RMOVETO);
    }
    add_byte(&letter, ENDCHAR);
    return letter;
}

/* Appends bytes encrypted as Type 1 fonts are, after four that do not count. */
static void put_encrypted(struct document *to, const void *bytes, size_t size, uint16_t key) {
    check(size + 4 < to->room - to->size, "keep a font within its memory");
    for (size_t i = 0; i < size + 4; i++) {
        uint8_t plain = i < 4 ? (uint8_t)"abcz"[i] : ((const uint8_t *)bytes)[i - 4];
        uint8_t cipher = plain ^ (uint8_t)(key >> 8);
        key = (uint16_t)((cipher + key) * 52845 + 22719);
        to->text[to->size++] = (char)cipher;
    }
}

static void put_letter(struct document *to, const char *name) {
    struct program letter = random_letter();
    put(to, "/%s %zu RD ", name, letter.size + 4);
    put_encrypted(to, letter.code, letter.size, 4330);
    put(to, " ND\n");
}

static void write_private_part(struct document *to) {
    to->size = 0;
    put(to, "dup /Private 9 dict dup begin\n"
            "/RD {string currentfile exch readstring pop} executeonly def\n"
            "/ND {noaccess def} executeonly def\n"
            "/NP {noaccess put} executeonly def\n"
            "/BlueValues [-15 0 500 515 700 715] def\n"
            "/StdHW [60] def\n/StdVW [80] def\n"
            "/MinFeature {16 16} def\n/password 5839 def\n");
    put(to, "2 index /CharStrings %d dict dup begin\n", LETTERS + 1);
    put_letter(to, ".notdef");
    for (int n = 0; n < LETTERS; n++) {
        char name[] = {(char)(n < 26 ? 'a' + n : 'A' + n - 26), 0};
        put_letter(to, name);
    }
    put(to, "end\nend\nreadonly put\nnoaccess put\n"
            "dup/FontName get exch definefont pop\nmark currentfile closefile\n");
}

static void write_type1(struct document *to, struct document *private_part) {
    to->size = 0;
    put(to, "%%!PS-AdobeFont-1.0: Generated 001.000\n11 dict begin\n"
            "/FontInfo 3 dict dup begin\n/version (1) readonly def\n/FullName (Generated) readonly def\n"
            "end readonly def\n"
            "/FontName /Generated def\n/Encoding StandardEncoding def\n/PaintType 0 def\n/FontType 1 def\n"
            "/FontMatrix [0.001 0 0 0.001 0 0] readonly def\n/FontBBox {-100 -300 1100 1000} readonly def\n"
            "currentdict end\ncurrentfile eexec\n");
    write_private_part(private_part);
    put_encrypted(to, private_part->text, private_part->size, 55665);
    put(to, "\n");
    for (int line = 0; line < 8; line++) put(to, "%064d\n", 0);
    put(to, "cleartomark\n");
}

static void write_bdf(struct document *to) {
    to->size = 0;
    put(to, "STARTFONT 2.1\nFONT -misc-generated-medium-r-normal--13-120-75-75-C-80-ISO10646-1\nSIZE 13 75 75\n"
            "FONTBOUNDINGBOX 8 13 0 -2\nSTARTPROPERTIES 4\nFONT_ASCENT 11\nFONT_DESCENT 2\n"
            "CHARSET_REGISTRY \"ISO10646\"\nCHARSET_ENCODING \"1\"\nENDPROPERTIES\n");
    put(to, "CHARS %d\n", BITMAPS);
    for (int n = 0; n < BITMAPS; n++) {
        put(to, "STARTCHAR u%04x\nENCODING %d\nSWIDTH 480 0\nDWIDTH 8 0\nBBX 8 13 0 -2\nBITMAP\n", n, FIRST_BITMAP + n);
        for (int row = 0; row < 13; row++) put(to, "%02X\n", below(256));
        put(to, "ENDCHAR\n");
    }
    put(to, "ENDFONT\n");
}

static FT_Face open_face(const struct document *font) {
    FT_Face face;
    check(!FT_New_Memory_Face(library, (const FT_Byte *)font->text, (FT_Long)font->size, 0, &face), "open a font");
    return face;
}

static void slant(FT_Outline *outline) {
    FT_Matrix matrix = {0x10000, 0x3000, 0, 0x10000};
    FT_Orientation orientation = FT_Outline_Get_Orientation(outline);
    sum = mix_number(sum, orientation);
    /* An outline that cancels itself out has no inside to grow from. */
    if (orientation != FT_ORIENTATION_NONE) check(!FT_Outline_Embolden(outline, 32), "embolden an outline");
    FT_Outline_Transform(outline, &matrix);
}

static void stroke(FT_GlyphSlot slot, int letter) {
    FT_Glyph glyph;
    FT_Stroker stroker;
    check(!FT_Get_Glyph(slot, &glyph), "copy a glyph");
    check(!FT_Stroker_New(library, &stroker), "make a stroker");
    FT_Fixed radius = between(48, 112);
    FT_Stroker_Set(stroker, radius, (FT_Stroker_LineCap)(letter % 3), (FT_Stroker_LineJoin)(letter % 4), 0x20000);
    check(!FT_Glyph_StrokeBorder(&glyph, stroker, letter % 2, 1), "stroke a glyph");
    check(!FT_Glyph_To_Bitmap(&glyph, FT_RENDER_MODE_NORMAL, NULL, 1), "render a stroked glyph");
    mix_bitmap(&((FT_BitmapGlyph)glyph)->bitmap);
    FT_Stroker_Done(stroker);
    FT_Done_Glyph(glyph);
}

/* Mostly plain; distance fields are slow and come rarely. */
static FT_Render_Mode mode_of(int round, int size, int letter) {
    switch ((size * 5 + letter) % 11) {
    case 1: return FT_RENDER_MODE_MONO;
    case 2: return FT_RENDER_MODE_LCD;
    case 3: return FT_RENDER_MODE_LIGHT;
    case 4: return round % 8 == 0 && size == 0 ? FT_RENDER_MODE_SDF : FT_RENDER_MODE_NORMAL;
    case 5: return FT_RENDER_MODE_LCD_V;
    default: return FT_RENDER_MODE_NORMAL;
    }
}

static void draw_letter(FT_Face face, int round, int size, int letter) {
    static const FT_Int32 hinting[] = {
        FT_LOAD_NO_HINTING,
        FT_LOAD_FORCE_AUTOHINT,
        FT_LOAD_TARGET_LIGHT,
        FT_LOAD_DEFAULT,
    };
    FT_UInt glyph = FT_Get_Char_Index(face, (FT_ULong)((letter % 2 ? 'a' : 'A') + letter));
    check(!FT_Load_Glyph(face, glyph, hinting[(size + letter) % 4]), "load a glyph");
    FT_GlyphSlot slot = face->glyph;
    FT_BBox box;
    check(!FT_Outline_Get_BBox(&slot->outline, &box), "measure an outline");
    sum = mix_number(sum, (uint64_t)box.xMax);
    if (letter % 5 == 2) slant(&slot->outline);
    if (letter % 6 == 3) stroke(slot, letter);
    check(!FT_Render_Glyph(slot, mode_of(round, size, letter)), "render a glyph");
    mix_bitmap(&slot->bitmap);
}

static void draw_outlines(const struct document *font, int round) {
    FT_Face face = open_face(font);
    for (int size = 0; size < 3; size++) {
        check(!FT_Set_Pixel_Sizes(face, 0, (FT_UInt)between(9, 49)), "set the size");
        for (int letter = 0; letter < 26; letter++) draw_letter(face, round, size, letter);
    }
    FT_Done_Face(face);
}

static void draw_bitmaps(const struct document *font) {
    FT_Face face = open_face(font);
    check(!FT_Select_Size(face, 0), "select the only size");
    for (int n = 0; n < BITMAPS; n++) {
        check(!FT_Load_Char(face, (FT_ULong)(FIRST_BITMAP + n), FT_LOAD_RENDER), "load a bitmap");
        FT_Bitmap bitmap;
        FT_Bitmap_Init(&bitmap);
        check(!FT_Bitmap_Convert(library, &face->glyph->bitmap, &bitmap, 1 + n % 4), "convert a bitmap");
        check(!FT_Bitmap_Embolden(library, &bitmap, 64, n % 2 * 64), "embolden a bitmap");
        mix_bitmap(&bitmap);
        FT_Bitmap_Done(library, &bitmap);
    }
    FT_Done_Face(face);
}

static void compute(void) {
    for (int n = 0; n < 200; n++) {
        FT_Vector vector;
        FT_Fixed length = between(0, 100000);
        FT_Vector_From_Polar(&vector, length, (FT_Angle)next_random());
        FT_Fixed total = FT_Vector_Length(&vector) + FT_Atan2(vector.x + n, vector.y) + FT_Tan(n << 15);
        sum = mix_number(sum, (uint64_t)(total ^ FT_MulDiv(vector.x, vector.y, n + 1)));
    }
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv, 1500);
    struct document font = new_document(ROOM), private_part = new_document(ROOM);
    check(!FT_Init_FreeType(&library), "start the library");
    for (int round = 0; round < rounds; round++) {
        write_type1(&font, &private_part);
        draw_outlines(&font, round);
        write_bdf(&font);
        draw_bitmaps(&font);
        compute();
    }
    print_checksum(sum);
    FT_Done_FreeType(library);
    free(font.text), free(private_part.text);
    return 0;
}
