// What do the streams of C++ cost?
//
// A number costs what it costs (calls.txt), but a width, a precision and a long
// text stand in the stream or in an argument: they are charged before. How far
// reading goes is not known before: it is charged behind, also when it ends with
// an exception, by how far the stream's buffer went. Limit: a number or blanks
// that go on over more than a whole buffer of a file are charged for two of
// them.
//
// The structures are those of libstdc++ since GCC 5.
#include "library.h"

struct opc_words {
  void *pointer;
  long number;
};

struct opc_ios {
  void *functions;
  ptrdiff_t precision, width;
  int flags, exceptions, state;
  void *callbacks;
  struct opc_words zero, local[8];
  int count;
  void *words, *locale, *tie;
  char fill, is_filled;
  struct opc_buffer *buffer;
};

struct opc_buffer {
  void *functions;
  const char *in_start, *in, *in_end, *out_start, *out, *out_end;
  void *locale;
};


enum { FIXED = 1 << 2 };

// What a stream throws when it comes to a state that is asked for.
enum { FAILED = 40000 };
static void opc_charge_failure(const struct opc_ios *ios, int state) {
  if (ios->exceptions & state) opc_charge_units(FAILED);
}

// Streams have their state in a virtual base.
static struct opc_ios *opc_state(void *stream) {
  ptrdiff_t there = *(ptrdiff_t *)(*(char **)stream - 3 * sizeof(void *));
  return (struct opc_ios *)((char *)stream + there);
}

// ---- writing ---------------------------------------------------------------

// A stream that failed does not write and fails again.
static void opc_charge_width(void *stream, size_t each) {
  ptrdiff_t width = opc_state(stream)->width;
  if (opc_state(stream)->state) opc_charge_failure(opc_state(stream), -1);
  if (width > 0) opc_charge_units((size_t)width * each);
}

// From one room to the next and on.
static void opc_charge_twice(size_t length) {
  opc_charge_copy(length);
  opc_charge_copy(length);
}

static void opc_charge_text(void *stream, size_t length) {
  opc_charge_width(stream, 12);
  opc_charge_twice(length);
}

// Formatted, and once more if the first room was too small.
static void opc_charge_floating(void *stream, int power) {
  struct opc_ios *state = opc_state(stream);
  size_t precision = state->precision < 0 ? 6 : (size_t)state->precision;
  opc_charge_width(stream, 2);
  size_t units = opc_digits_cost(power, precision, state->flags & FIXED);
  opc_charge_units(2 * units);
}

#define WRITE_MORE(name, type, charge)              \
  void *name(void *stream, type value);             \
  void *LIBRARY(name)(void *stream, type value) {   \
    charge;                                         \
    return name(stream, value);                     \
  }
#define WRITE_WHOLE(name, type) WRITE_MORE(name, type, opc_charge_width(stream, 2))
#define WRITE_FLOATING(name, type) WRITE_MORE(name, type, opc_charge_floating(stream, opc_power(value)))

WRITE_WHOLE(_ZNSo9_M_insertIbEERSoT_, _Bool)
WRITE_WHOLE(_ZNSo9_M_insertIlEERSoT_, long)
WRITE_WHOLE(_ZNSo9_M_insertImEERSoT_, unsigned long)
WRITE_WHOLE(_ZNSo9_M_insertIxEERSoT_, long long)
WRITE_WHOLE(_ZNSo9_M_insertIyEERSoT_, unsigned long long)
WRITE_WHOLE(_ZNSo9_M_insertIPKvEERSoT_, const void *)
WRITE_WHOLE(_ZNSolsEb, _Bool)
WRITE_WHOLE(_ZNSolsEs, short)
WRITE_WHOLE(_ZNSolsEt, unsigned short)
WRITE_WHOLE(_ZNSolsEi, int)
WRITE_WHOLE(_ZNSolsEj, unsigned)
WRITE_WHOLE(_ZNSolsEl, long)
WRITE_WHOLE(_ZNSolsEm, unsigned long)
WRITE_WHOLE(_ZNSolsEx, long long)
WRITE_WHOLE(_ZNSolsEy, unsigned long long)
WRITE_WHOLE(_ZNSolsEPKv, const void *)
WRITE_FLOATING(_ZNSo9_M_insertIdEERSoT_, double)
WRITE_FLOATING(_ZNSo9_M_insertIeEERSoT_, long double)
WRITE_FLOATING(_ZNSolsEf, float)
WRITE_FLOATING(_ZNSolsEd, double)
WRITE_FLOATING(_ZNSolsEe, long double)
WRITE_MORE(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c, char, opc_charge_width(stream, 12))
WRITE_MORE(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc, const char *,
           opc_charge_text(stream, value ? LIBRARY(strlen)(value) : 0))
WRITE_MORE(_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE,
           const struct text *, opc_charge_text(stream, value->size))

#define WRITE_LETTERS(name)                                               \
  void *name(void *stream, const char *letters, ptrdiff_t count);         \
  void *LIBRARY(name)(void *stream, const char *letters, ptrdiff_t count) { \
    opc_charge_text(stream, count > 0 ? (size_t)count : 0);               \
    return name(stream, letters, count);                                  \
  }
WRITE_LETTERS(_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l)
WRITE_LETTERS(_ZNSo5writeEPKcl)

// ---- streams of strings ----------------------------------------------------

static size_t opc_contents(const struct opc_buffer *buffer) {
  const char *end = buffer->out > buffer->in_end ? buffer->out : buffer->in_end;
  const char *start = buffer->out_start ? buffer->out_start : buffer->in_start;
  return start && end > start ? (size_t)(end - start) : 0;
}

#define CONTENTS(name, offset)                                                             \
  struct text name(const void *object);                                                    \
  struct text LIBRARY(name)(const void *object) {                                          \
    opc_charge_copy(opc_contents((const struct opc_buffer *)((const char *)object + offset))); \
    return name(object);                                                                   \
  }
#define NEW_CONTENTS(name)                                  \
  void name(void *object, const struct text *text);         \
  void LIBRARY(name)(void *object, const struct text *text) { \
    opc_charge_copy(text->size);                            \
    name(object, text);                                     \
  }
#define MADE_OF(name)                                                 \
  void name(void *object, const struct text *text, int mode);         \
  void LIBRARY(name)(void *object, const struct text *text, int mode) { \
    opc_charge_copy(text->size);                                      \
    name(object, text, mode);                                         \
  }
CONTENTS(_ZNKSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv, 0)
CONTENTS(_ZNKSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strEv, 3 * sizeof(void *))
CONTENTS(_ZNKSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE3strEv, 2 * sizeof(void *))
CONTENTS(_ZNKSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv, sizeof(void *))
NEW_CONTENTS(_ZNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strERKNS_12basic_stringIcS2_S3_EE)
NEW_CONTENTS(_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strERKNS_12basic_stringIcS2_S3_EE)
NEW_CONTENTS(_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE3strERKNS_12basic_stringIcS2_S3_EE)
NEW_CONTENTS(_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strERKNS_12basic_stringIcS2_S3_EE)
MADE_OF(_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode)
MADE_OF(_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode)
MADE_OF(_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode)

// ---- reading ---------------------------------------------------------------

// Where a stream stood, and what a letter costs.
struct opc_reading {
  const struct opc_ios *ios;
  const struct opc_buffer *buffer;
  const char *in, *end;
  struct opc_position file;
  size_t each;
};

static struct opc_reading opc_begin_reading(void *stream, size_t each) {
  const struct opc_buffer *buffer = opc_state(stream)->buffer;
  struct opc_reading reading = {opc_state(stream), buffer, NULL, NULL, opc_position_of(stdin), each};
  if (buffer) reading.in = buffer->in, reading.end = buffer->in_end;
  return reading;
}

static void opc_end_reading(struct opc_reading *reading) {
  const struct opc_buffer *buffer = reading->buffer;
  opc_charge_failure(reading->ios, reading->ios->state);
  if (!buffer) return;
  if (buffer->in_end) {
    size_t gone = opc_went(reading->in, reading->end, buffer->in_start, buffer->in, buffer->in_end);
    opc_charge_units(gone * reading->each);
  } else {
    // It reads the C library's standard input, letter by letter.
    opc_charge_units(opc_went_on(&reading->file, stdin) * 70);
  }
}

#define READING(each) \
  struct opc_reading reading __attribute__((cleanup(opc_end_reading))) = opc_begin_reading(stream, each)

#define READ(name, type, each)                      \
  void *name(void *stream, type value);             \
  void *LIBRARY(name)(void *stream, type value) {   \
    READING(each);                                  \
    return name(stream, value);                     \
  }
// Of 80 bits or more the exponent decides, as of texts (format.c). What is nothing may have the least one.
#define READ_WIDE(name)                                        \
  void *name(void *stream, long double *value);                \
  void *LIBRARY(name)(void *stream, long double *value) {      \
    READING(24);                                               \
    name(stream, value);                                       \
    opc_charge_power_of_ten(opc_power(*value));                \
    return stream;                                             \
  }
READ(_ZNSirsERb, void *, 16)
READ(_ZNSirsERs, void *, 16)
READ(_ZNSirsERt, void *, 16)
READ(_ZNSirsERi, void *, 16)
READ(_ZNSirsERj, void *, 16)
READ(_ZNSirsERl, void *, 16)
READ(_ZNSirsERm, void *, 16)
READ(_ZNSirsERx, void *, 16)
READ(_ZNSirsERy, void *, 16)
READ(_ZNSirsERf, void *, 24)
READ(_ZNSirsERd, void *, 24)
READ_WIDE(_ZNSirsERe)
READ(_ZNSi10_M_extractIbEERSiRT_, void *, 16)
READ(_ZNSi10_M_extractIjEERSiRT_, void *, 16)
READ(_ZNSi10_M_extractItEERSiRT_, void *, 16)
READ(_ZNSi10_M_extractIlEERSiRT_, void *, 16)
READ(_ZNSi10_M_extractImEERSiRT_, void *, 16)
READ(_ZNSi10_M_extractIxEERSiRT_, void *, 16)
READ(_ZNSi10_M_extractIyEERSiRT_, void *, 16)
READ(_ZNSi10_M_extractIfEERSiRT_, void *, 24)
READ(_ZNSi10_M_extractIdEERSiRT_, void *, 24)
READ_WIDE(_ZNSi10_M_extractIeEERSiRT_)
READ(_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_, void *, 6)
READ(_ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE, void *, 5)
READ(_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE, void *, 1)

#define READ_MORE(type, name, parameters, arguments, each) \
  type name parameters;                                  \
  type LIBRARY(name) parameters {                        \
    READING(each);                                       \
    return name arguments;                               \
  }
READ_MORE(void *, _ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_,
          (void *stream, void *text, char end), (stream, text, end), 1)
READ_MORE(void *, _ZSt2wsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_, (void *stream), (stream), 6)
READ_MORE(void *, _ZNSi7getlineEPcl, (void *stream, char *to, ptrdiff_t size), (stream, to, size), 1)
READ_MORE(void *, _ZNSi7getlineEPclc, (void *stream, char *to, ptrdiff_t size, char end), (stream, to, size, end), 1)
READ_MORE(void *, _ZNSi4readEPcl, (void *stream, char *to, ptrdiff_t size), (stream, to, size), 1)
READ_MORE(void *, _ZNSi6ignoreEv, (void *stream), (stream), 1)
READ_MORE(void *, _ZNSi6ignoreEl, (void *stream, ptrdiff_t count), (stream, count), 1)
READ_MORE(void *, _ZNSi6ignoreEli, (void *stream, ptrdiff_t count, int end), (stream, count, end), 1)
READ_MORE(int, _ZNSi3getEv, (void *stream), (stream), 1)
READ_MORE(void *, _ZNSi3getERc, (void *stream, char *to), (stream, to), 1)

// ---- states ------------------------------------------------------------------

#define STATE(name, after)                                    \
  void name(struct opc_ios *ios, int state);                  \
  void LIBRARY(name)(struct opc_ios *ios, int state) {        \
    opc_charge_failure(ios, after);                           \
    name(ios, state);                                         \
  }
STATE(_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate, state)
STATE(_ZNSt9basic_iosIcSt11char_traitsIcEE8setstateESt12_Ios_Iostate, ios->state | state)

void _ZNSt9basic_iosIcSt11char_traitsIcEE10exceptionsESt12_Ios_Iostate(struct opc_ios *ios, int wanted);
void LIBRARY(_ZNSt9basic_iosIcSt11char_traitsIcEE10exceptionsESt12_Ios_Iostate)(struct opc_ios *ios, int wanted) {
  if (wanted & ios->state) opc_charge_units(FAILED);
  _ZNSt9basic_iosIcSt11char_traitsIcEE10exceptionsESt12_Ios_Iostate(ios, wanted);
}

// ---- a buffer's own functions -----------------------------------------------

// Calls through an object's table that look like `sgetn` and `sputn` come here. Where they mean the library's
// functions, what these copy is charged.
#define IS_BUFFERS(member)                                                       \
  (function == (void *)_ZNSt15basic_streambufIcSt11char_traitsIcEE##member ||    \
   function == (void *)_ZNSt13basic_filebufIcSt11char_traitsIcEE##member ||      \
   function == (void *)_ZN9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEE##member)

extern void _ZNSt15basic_streambufIcSt11char_traitsIcEE6xsgetnEPcl(void);
extern void _ZNSt13basic_filebufIcSt11char_traitsIcEE6xsgetnEPcl(void);
extern void _ZN9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEE6xsgetnEPcl(void);
extern void _ZNSt15basic_streambufIcSt11char_traitsIcEE6xsputnEPKcl(void);
extern void _ZNSt13basic_filebufIcSt11char_traitsIcEE6xsputnEPKcl(void);
extern void _ZN9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEE6xsputnEPKcl(void);

int64_t LIBRARY(opc_virtual)(void *object, void *bytes, int64_t count, void *function) {
  if (count > 0 && IS_BUFFERS(6xsputnEPKcl)) opc_charge_units(120), opc_charge_twice((size_t)count);
  int64_t done = ((int64_t (*)(void *, void *, int64_t))function)(object, bytes, count);
  if (done > 0 && IS_BUFFERS(6xsgetnEPcl)) opc_charge_units(120), opc_charge_twice((size_t)done);
  return done;
}

// ---- letters of a locale ---------------------------------------------------

// The facet for letters has virtual functions that work on ranges, and a call of one says no name. Who asks for
// the facet gets a copy whose functions charge the range and go on to the library's.
enum { FACET_SIZE = 576, FACET_FUNCTIONS = 12, FIRST_FUNCTION = 2, MOST_FACETS = 8 };

struct opc_facet {
  void **functions;
  char rest[FACET_SIZE - sizeof(void *)];
};

extern char _ZTVSt5ctypeIcE[];
static void *opc_facet_functions[FACET_FUNCTIONS];

#define RANGE_OF(name, slot, parameters, arguments)                                             \
  static const char *name parameters {                                                          \
    opc_charge_units((size_t)(end - start) * 3);                                                \
    typedef const char *real parameters;                                                        \
    return ((real *)((void **)(void *)_ZTVSt5ctypeIcE)[FIRST_FUNCTION + (slot)])arguments;      \
  }
RANGE_OF(opc_upper_range, 3, (void *facet, char *start, const char *end), (facet, start, end))
RANGE_OF(opc_lower_range, 5, (void *facet, char *start, const char *end), (facet, start, end))
RANGE_OF(opc_widen_range, 7, (void *facet, const char *start, const char *end, char *to), (facet, start, end, to))
RANGE_OF(opc_narrow_range, 9, (void *facet, const char *start, const char *end, char other, char *to),
         (facet, start, end, other, to))

static const void *opc_copy_of_facet(const void *facet) {
  static struct opc_facet copies[MOST_FACETS];
  static const void *originals[MOST_FACETS];
  static size_t count;
  for (size_t i = 0; i < count; i++)
    if (originals[i] == facet) return &copies[i];
  void **functions = (void **)(void *)_ZTVSt5ctypeIcE;
  // Facets of other classes have other functions; and nobody has so many.
  if (*(void ***)facet != functions + FIRST_FUNCTION || count == MOST_FACETS) return facet;
  memcpy(opc_facet_functions, functions, sizeof opc_facet_functions);
  opc_facet_functions[FIRST_FUNCTION + 3] = (void *)opc_upper_range;
  opc_facet_functions[FIRST_FUNCTION + 5] = (void *)opc_lower_range;
  opc_facet_functions[FIRST_FUNCTION + 7] = (void *)opc_widen_range;
  opc_facet_functions[FIRST_FUNCTION + 9] = (void *)opc_narrow_range;
  memcpy(&copies[count], facet, FACET_SIZE);
  copies[count].functions = opc_facet_functions + FIRST_FUNCTION;
  originals[count] = facet;
  return &copies[count++];
}

const void *_ZSt9use_facetISt5ctypeIcEERKT_RKSt6locale(const void *locale);
const void *LIBRARY(_ZSt9use_facetISt5ctypeIcEERKT_RKSt6locale)(const void *locale) {
  return opc_copy_of_facet(_ZSt9use_facetISt5ctypeIcEERKT_RKSt6locale(locale));
}
