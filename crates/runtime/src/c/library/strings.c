// What do the members of std::string cost that stand in the C++ library?
//
// They do as much as is copied, moved or looked through, and how much that is
// stands in the string. What only copies is charged before and left to the
// library; what searches and compares is written here, over memory functions
// whose length is charged. A string that grows pays for its move when it moves.
//
// The structure is that of libstdc++ since GCC 5 (its new ABI); other C++
// libraries have other names, and nothing here is meant.
#include "library.h"

#include <limits.h>

struct text {
  char *at;
  size_t size;
  union {
    char room[16];
    size_t capacity;
  };
};

#define NOWHERE SIZE_MAX
#define TEXT(member) LIBRARY(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE##member)
#define REAL_TEXT(member) _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE##member
#define LOOK(member) LIBRARY(_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE##member)
#define REAL_LOOK(member) _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE##member

static size_t opc_capacity(const struct text *text) {
  return text->at == text->room ? sizeof text->room - 1 : text->capacity;
}

static size_t opc_at_most(size_t a, size_t b) { return a < b ? a : b; }

// What the library throws itself: the place is none of the string.
static void opc_charge_place(const struct text *text, size_t at) {
  if (at > text->size) opc_charge_out_of_range();
}

// Of no text the library makes an error, not a string.
static size_t opc_length(const char *text) {
  if (text) return LIBRARY(strlen)(text);
  opc_charge_logic_error();
  return 0;
}

// What lies behind a place.
static size_t opc_behind(const struct text *text, size_t at) { return text->size > at ? text->size - at : 0; }

// All that is there moves to new memory when there is no room for more.
enum { NEW_MEMORY = 250 };
static void opc_charge_growth(const struct text *text, size_t more) {
  if (more > opc_capacity(text) - text->size) opc_charge_copy(text->size), opc_charge_units(NEW_MEMORY);
}

// `more` bytes take the place of `less` at `at`.
static void opc_charge_change(const struct text *text, size_t at, size_t less, size_t more) {
  opc_charge_place(text, at);
  size_t tail = opc_behind(text, at);
  less = opc_at_most(less, tail);
  if (less != more) opc_charge_copy(tail - less);
  if (more > less) opc_charge_growth(text, more - less);
  opc_charge_copy(more);
}

#define CHARGED(type, member, parameters, arguments, charge) \
  type REAL_TEXT(member) parameters;                         \
  type TEXT(member) parameters {                             \
    charge;                                                  \
    return REAL_TEXT(member) arguments;                      \
  }
#define CHARGED_LOOK(type, member, parameters, arguments, charge) \
  type REAL_LOOK(member) parameters;                              \
  type LOOK(member) parameters {                                  \
    charge;                                                       \
    return REAL_LOOK(member) arguments;                           \
  }
#define S struct text *s
#define T const struct text *t
#define P const char *p
#define LENGTH opc_length(p)

// ---- what copies -----------------------------------------------------------

CHARGED(void, 9_M_assignERKS4_, (S, T), (s, t), opc_charge_copy(t->size))
CHARGED(void *, 6assignERKS4_, (S, T), (s, t), opc_charge_copy(t->size))
CHARGED(void *, aSERKS4_, (S, T), (s, t), opc_charge_copy(t->size))
CHARGED(void, C1ERKS4_, (S, T), (s, t), opc_charge_copy(t->size))
CHARGED(void, C2ERKS4_, (S, T), (s, t), opc_charge_copy(t->size))
CHARGED(void, C1ERKS4_mm, (S, T, size_t a, size_t n), (s, t, a, n), (opc_charge_place(t, a), opc_charge_copy(opc_at_most(n, opc_behind(t, a)))))
CHARGED(void, C2ERKS4_mm, (S, T, size_t a, size_t n), (s, t, a, n), (opc_charge_place(t, a), opc_charge_copy(opc_at_most(n, opc_behind(t, a)))))
CHARGED(void, C1EPKcRKS3_, (S, P, const void *allocator), (s, p, allocator), opc_charge_copy(LENGTH))
CHARGED(void, C2EPKcRKS3_, (S, P, const void *allocator), (s, p, allocator), opc_charge_copy(LENGTH))
CHARGED(void *, 6assignEPKc, (S, P), (s, p), opc_charge_copy(LENGTH))
CHARGED(void *, aSEPKc, (S, P), (s, p), opc_charge_copy(LENGTH))
CHARGED(void, 12_M_constructEmc, (S, size_t n, char c), (s, n, c), opc_charge_copy(n))

CHARGED(void *, 6appendERKS4_, (S, T), (s, t), opc_charge_change(s, s->size, 0, t->size))
CHARGED(void *, pLERKS4_, (S, T), (s, t), opc_charge_change(s, s->size, 0, t->size))
CHARGED(void *, 6appendEPKc, (S, P), (s, p), opc_charge_change(s, s->size, 0, LENGTH))
CHARGED(void *, pLEPKc, (S, P), (s, p), opc_charge_change(s, s->size, 0, LENGTH))
CHARGED(void *, 6appendEPKcm, (S, P, size_t n), (s, p, n), opc_charge_change(s, s->size, 0, n))
CHARGED(void *, 9_M_appendEPKcm, (S, P, size_t n), (s, p, n), opc_charge_change(s, s->size, 0, n))
CHARGED(void *, 6appendEmc, (S, size_t n, char c), (s, n, c), opc_charge_change(s, s->size, 0, n))
CHARGED(void, 9push_backEc, (S, char c), (s, c), opc_charge_growth(s, 1))
CHARGED(void *, pLEc, (S, char c), (s, c), opc_charge_growth(s, 1))

CHARGED(void *, 6insertEmPKc, (S, size_t a, P), (s, a, p), opc_charge_change(s, a, 0, LENGTH))
CHARGED(void *, 6insertEmPKcm, (S, size_t a, P, size_t n), (s, a, p, n), opc_charge_change(s, a, 0, n))
CHARGED(void *, 6insertEmRKS4_, (S, size_t a, T), (s, a, t), opc_charge_change(s, a, 0, t->size))
CHARGED(void *, 6insertEmmc, (S, size_t a, size_t n, char c), (s, a, n, c), opc_charge_change(s, a, 0, n))
CHARGED(void *, 5eraseEmm, (S, size_t a, size_t n), (s, a, n), opc_charge_change(s, a, n, 0))
CHARGED(void, 8_M_eraseEmm, (S, size_t a, size_t n), (s, a, n), opc_charge_change(s, a, n, 0))
CHARGED(void *, 7replaceEmmPKc, (S, size_t a, size_t n, P), (s, a, n, p), opc_charge_change(s, a, n, LENGTH))
CHARGED(void *, 7replaceEmmPKcm, (S, size_t a, size_t n, P, size_t m), (s, a, n, p, m), opc_charge_change(s, a, n, m))
CHARGED(void *, 7replaceEmmRKS4_, (S, size_t a, size_t n, T), (s, a, n, t), opc_charge_change(s, a, n, t->size))
CHARGED(void *, 7replaceEmmmc, (S, size_t a, size_t n, size_t m, char c), (s, a, n, m, c), opc_charge_change(s, a, n, m))
CHARGED(void *, 10_M_replaceEmmPKcm, (S, size_t a, size_t n, P, size_t m), (s, a, n, p, m), opc_charge_change(s, a, n, m))
CHARGED(void *, 14_M_replace_auxEmmmc, (S, size_t a, size_t n, size_t m, char c), (s, a, n, m, c),
        opc_charge_change(s, a, n, m))
// The library moves the rest to new memory, whatever room there is.
CHARGED(void, 9_M_mutateEmmPKcm, (S, size_t a, size_t n, P, size_t m), (s, a, n, p, m),
        (opc_charge_copy(s->size), opc_charge_copy(p ? m : 0)))

CHARGED(void, 7reserveEm, (S, size_t n), (s, n), opc_charge_copy(n > opc_capacity(s) ? s->size : 0))
CHARGED(void, 6resizeEm, (S, size_t n), (s, n), opc_charge_change(s, s->size, 0, n > s->size ? n - s->size : 0))
CHARGED(void, 6resizeEmc, (S, size_t n, char c), (s, n, c),
        opc_charge_change(s, s->size, 0, n > s->size ? n - s->size : 0))
CHARGED(void, 13shrink_to_fitEv, (S), (s), opc_charge_copy(opc_capacity(s) > s->size ? s->size : 0))

void *TEXT(6assignEmc)(S, size_t n, char c) { return TEXT(14_M_replace_auxEmmmc)(s, 0, s->size, n, c); }
void TEXT(13_S_copy_charsEPcPKcS7_)(char *to, const char *a, const char *b) { memcpy(to, a, (size_t)(b - a)); }
void TEXT(13_S_copy_charsEPcS5_S5_)(char *to, const char *a, const char *b) { memcpy(to, a, (size_t)(b - a)); }
void TEXT(13_S_copy_charsEPcN9__gnu_cxx17__normal_iteratorIS5_S4_EES8_)(char *to, const char *a, const char *b) {
  memcpy(to, a, (size_t)(b - a));
}

CHARGED_LOOK(size_t, 4copyEPcmm, (T, char *to, size_t n, size_t a), (t, to, n, a),
             (opc_charge_place(t, a), opc_charge_copy(opc_at_most(n, opc_behind(t, a)))))
CHARGED_LOOK(struct text, 6substrEmm, (T, size_t a, size_t n), (t, a, n),
             (opc_charge_place(t, a), opc_charge_copy(opc_at_most(n, opc_behind(t, a)))))

// ---- what compares ---------------------------------------------------------

static int opc_compare_bytes(const char *a, const char *b, size_t count) {
  size_t at = 0;
  for (size_t piece = FIRST_PIECE; at < count; piece = opc_next_piece(piece)) {
    if (piece > count - at) piece = count - at;
    int order = memcmp(a + at, b + at, piece);
    if (order) return order;
    at += piece;
  }
  return 0;
}

static int opc_compare_texts(const char *a, size_t size, const char *b, size_t other) {
  int order = opc_compare_bytes(a, b, opc_at_most(size, other));
  if (order || size == other) return order;
  ptrdiff_t difference = (ptrdiff_t)(size - other);
  return difference > INT_MAX ? INT_MAX : difference < INT_MIN ? INT_MIN : (int)difference;
}

int REAL_LOOK(7compareEmmPKc)(T, size_t a, size_t n, P);
int REAL_LOOK(7compareEmmPKcm)(T, size_t a, size_t n, P, size_t m);

int LOOK(7compareERKS4_)(T, const struct text *u) { return opc_compare_texts(t->at, t->size, u->at, u->size); }
int LOOK(7compareEPKc)(T, P) { return opc_compare_texts(t->at, t->size, p, LENGTH); }
int LOOK(7compareEmmPKcm)(T, size_t a, size_t n, P, size_t m) {
  opc_charge_place(t, a);
  if (a > t->size) return REAL_LOOK(7compareEmmPKcm)(t, a, n, p, m); // which throws
  return opc_compare_texts(t->at + a, opc_at_most(n, t->size - a), p, m);
}
int LOOK(7compareEmmPKc)(T, size_t a, size_t n, P) {
  opc_charge_place(t, a);
  if (a > t->size) return REAL_LOOK(7compareEmmPKc)(t, a, n, p); // which throws
  return LOOK(7compareEmmPKcm)(t, a, n, p, LENGTH);
}
int LOOK(7compareEmmRKS4_)(T, size_t a, size_t n, const struct text *u) {
  opc_charge_place(t, a);
  if (a > t->size) return REAL_LOOK(7compareEmmPKc)(t, a, n, u->at);
  return LOOK(7compareEmmPKcm)(t, a, n, u->at, u->size);
}

// ---- what searches ---------------------------------------------------------



static size_t opc_find_text(T, P, size_t a, size_t n) {
  if (n == 0) return a <= t->size ? a : NOWHERE;
  while (n <= opc_behind(t, a)) {
    const char *found = opc_find(t->at + a, *p, t->size - a - n + 1);
    if (!found) return NOWHERE;
    a = (size_t)(found - t->at);
    if (opc_compare_bytes(found, p, n) == 0) return a;
    a++;
  }
  return NOWHERE;
}

static size_t opc_find_last_text(T, P, size_t a, size_t n) {
  if (n > t->size) return NOWHERE;
  for (a = opc_at_most(t->size - n, a);; a--) {
    if (opc_compare_bytes(t->at + a, p, n) == 0) return a;
    if (a == 0) return NOWHERE;
  }
}

static size_t opc_find_byte(T, char c, size_t a) {
  const char *found = opc_behind(t, a) ? opc_find(t->at + a, c, t->size - a) : NULL;
  return found ? (size_t)(found - t->at) : NOWHERE;
}

static size_t opc_find_last_byte(T, char c, size_t a) {
  for (size_t left = opc_at_most(t->size, a < NOWHERE ? a + 1 : a); left-- > 0;)
    if (t->at[left] == c) return left;
  return NOWHERE;
}

struct letters {
  uint64_t words[4];
};

static struct letters opc_letters(P, size_t n) {
  struct letters set = {{0}};
  for (size_t i = 0; i < n; i++) set.words[(unsigned char)p[i] >> 6] |= UINT64_C(1) << (p[i] & 63);
  return set;
}

static int opc_is_in(const struct letters *set, char c) {
  return (int)(set->words[(unsigned char)c >> 6] >> (c & 63) & 1);
}

static size_t opc_find_of(T, P, size_t a, size_t n, int is_in) {
  struct letters set = opc_letters(p, n);
  for (; a < t->size; a++)
    if (opc_is_in(&set, t->at[a]) == is_in) return a;
  return NOWHERE;
}

static size_t opc_find_last_of(T, P, size_t a, size_t n, int is_in) {
  struct letters set = opc_letters(p, n);
  for (size_t left = opc_at_most(t->size, a < NOWHERE ? a + 1 : a); left-- > 0;)
    if (opc_is_in(&set, t->at[left]) == is_in) return left;
  return NOWHERE;
}

// Each search by letters and number, by letters with an end, by a string, by one letter.
#define SEARCH(member, search, more)                                                                             \
  size_t LOOK(member##EPKcmm)(T, P, size_t a, size_t n) { return search(t, p, a, n more); }              \
  size_t LOOK(member##EPKcm)(T, P, size_t a) { return search(t, p, a, LENGTH more); }                    \
  size_t LOOK(member##ERKS4_m)(T, const struct text *u, size_t a) { return search(t, u->at, a, u->size more); }

#define COMMA ,
SEARCH(4find, opc_find_text, )
SEARCH(5rfind, opc_find_last_text, )
SEARCH(13find_first_of, opc_find_of, COMMA 1)
SEARCH(17find_first_not_of, opc_find_of, COMMA 0)
SEARCH(12find_last_of, opc_find_last_of, COMMA 1)
SEARCH(16find_last_not_of, opc_find_last_of, COMMA 0)

size_t LOOK(4findEcm)(T, char c, size_t a) { return opc_find_byte(t, c, a); }
size_t LOOK(5rfindEcm)(T, char c, size_t a) { return opc_find_last_byte(t, c, a); }
size_t LOOK(13find_first_ofEcm)(T, char c, size_t a) { return opc_find_byte(t, c, a); }
size_t LOOK(12find_last_ofEcm)(T, char c, size_t a) { return opc_find_last_byte(t, c, a); }
size_t LOOK(17find_first_not_ofEcm)(T, char c, size_t a) { return opc_find_of(t, &c, a, 1, 0); }
size_t LOOK(16find_last_not_ofEcm)(T, char c, size_t a) { return opc_find_last_of(t, &c, a, 1, 0); }

#undef S
#undef T
#undef P
#undef LENGTH

// ---- what works on ranges and has no string --------------------------------

// Eight bytes at a time, a dozen instructions each.
size_t _ZSt11_Hash_bytesPKvmm(const void *bytes, size_t count, size_t seed);
size_t LIBRARY(_ZSt11_Hash_bytesPKvmm)(const void *bytes, size_t count, size_t seed) {
  opc_charge_units(count);
  return _ZSt11_Hash_bytesPKvmm(bytes, count, seed);
}

// ---- errors, which keep a copy of a text ------------------------------------

#define KEEPS_TEXT(name)                             \
  void name(void *error, const char *text);          \
  void LIBRARY(name)(void *error, const char *text) { \
    opc_charge_copy(opc_length(text));               \
    name(error, text);                               \
  }
#define KEEPS_STRING(name)                                  \
  void name(void *error, const struct text *text);          \
  void LIBRARY(name)(void *error, const struct text *text) { \
    opc_charge_copy(text->size);                            \
    name(error, text);                                      \
  }
#define ERROR(type)                                                                             \
  KEEPS_TEXT(_ZNSt##type##C1EPKc)                                                               \
  KEEPS_TEXT(_ZNSt##type##C2EPKc)                                                               \
  KEEPS_STRING(_ZNSt##type##C1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE)          \
  KEEPS_STRING(_ZNSt##type##C2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE)
ERROR(11logic_error)
ERROR(12domain_error)
ERROR(16invalid_argument)
ERROR(12length_error)
ERROR(12out_of_range)
ERROR(13runtime_error)
ERROR(11range_error)
ERROR(14overflow_error)
ERROR(15underflow_error)

// ---- run-time types ---------------------------------------------------------

struct opc_class {
  void **functions;
  const char *name;
  union {
    const struct opc_class *base;
    struct {
      unsigned flags, count;
    };
  };
  struct {
    const struct opc_class *base;
    long offset_and_flags;
  } bases[];
};

extern char _ZTVN10__cxxabiv120__si_class_type_infoE[];
extern char _ZTVN10__cxxabiv121__vmi_class_type_infoE[];
static int opc_is_of(const struct opc_class *type, const char *table) {
  return (const char *)type->functions == table + 2 * sizeof(void *);
}

// Each class that stands among the bases of another, as often as it does.
static void opc_charge_bases(const struct opc_class *type) {
  for (; opc_is_of(type, _ZTVN10__cxxabiv120__si_class_type_infoE); type = type->base) opc_charge_units(40);
  opc_charge_units(40);
  if (!opc_is_of(type, _ZTVN10__cxxabiv121__vmi_class_type_infoE)) return;
  for (unsigned i = 0; i < type->count; i++) opc_charge_units(60), opc_charge_bases(type->bases[i].base);
}

void *__dynamic_cast(const void *object, const void *from, const void *to, ptrdiff_t hint);
void *LIBRARY(__dynamic_cast)(const void *object, const void *from, const void *to, ptrdiff_t hint) {
  opc_charge_bases((*(const struct opc_class *const *const *)object)[-1]);
  return __dynamic_cast(object, from, to, hint);
}
