// What does an exception cost that passes frames?
//
// The unwinder takes each frame apart twice, whatever is in it: to look for a handler, and to
// get there. How many frames lie between is in no argument. So the stack is walked once more
// before something is thrown, C++'s own personality is asked where the exception will be
// caught, and each frame on the way is charged. What a single throw costs, the weight of the
// call says; what a frame that is landed in costs, the weight of its landing pad.
//
// Limits: what the library throws while it works (`new` without memory, streams that are asked
// to throw) pays for frames that are landed in only. Where C++'s library is not the one of GNU,
// nothing of this is charged.
#include "library.h"

#ifdef __ELF__
#include <unwind.h>

// Machine instructions for a frame: 2,320 of the unwinder, the rest is this walk, as callgrind
// counts them on x86-64. A test holds it (`calls::frames_that_an_exception_passes_are_paid_for`).
enum { PASSED_FRAME = 3700 };

#define WEAK __attribute__((weak))
WEAK _Unwind_Reason_Code __gxx_personality_v0(int, _Unwind_Action, _Unwind_Exception_Class,
                                              struct _Unwind_Exception *, struct _Unwind_Context *);
WEAK void *__cxa_init_primary_exception(void *object, void *type, void (*destroy)(void *));
WEAK void *__cxa_allocate_exception(size_t size);
WEAK void __cxa_free_exception(void *object);
struct caught {
  char *innermost;
  unsigned thrown;
};
WEAK struct caught *__cxa_get_globals(void);

// "GNUCC++" and a 0; the last byte of an exception that is thrown again by hand is 1.
static int opc_is_of_gnu(const struct _Unwind_Exception *exception) {
  return (exception->exception_class | 1) == 0x474e5543432b2b01;
}

static _Unwind_Reason_Code opc_passed_frame(struct _Unwind_Context *context, void *thrown) {
  opc_charge_units(PASSED_FRAME);
  // Asked of every frame, so that the same is executed whether or not it has a table: a counted one has.
  struct _Unwind_Exception *exception = thrown;
  int answer = __gxx_personality_v0(1, _UA_SEARCH_PHASE, exception->exception_class, exception, context);
  return answer == _URC_HANDLER_FOUND ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

static void opc_charge_frames(struct _Unwind_Exception *exception) {
  if (__gxx_personality_v0 && opc_is_of_gnu(exception)) _Unwind_Backtrace(opc_passed_frame, exception);
}

// The object that is thrown lies behind what the library knows of it.
static void opc_charge_throw(void *object, void *type, void (*destroy)(void *)) {
  if (!__cxa_init_primary_exception) return;
  __cxa_init_primary_exception(object, type, destroy);
  opc_charge_frames((struct _Unwind_Exception *)object - 1);
}

_Noreturn void __cxa_throw(void *object, void *type, void (*destroy)(void *));
_Noreturn void LIBRARY(__cxa_throw)(void *object, void *type, void (*destroy)(void *)) {
  opc_charge_throw(object, type, destroy);
  __cxa_throw(object, type, destroy);
}

// Where the unwinder's part lies in what the library knows of an exception: behind ten words, of which
// one holds two numbers.
#define UNWINDERS_PART (10 * sizeof(void *))

_Noreturn void __cxa_rethrow(void);
_Noreturn void LIBRARY(__cxa_rethrow)(void) {
  struct caught *all = sizeof(void *) == 8 && __cxa_get_globals ? __cxa_get_globals() : NULL;
  if (all && all->innermost) opc_charge_frames((struct _Unwind_Exception *)(all->innermost + UNWINDERS_PART));
  __cxa_rethrow();
}

// Of what the library itself is about to throw, and of which only the type is known.
static void opc_charge_throw_of(void *type) {
  if (!type || !__cxa_allocate_exception) return;
  void *object = __cxa_allocate_exception(64);
  opc_charge_throw(object, type, NULL);
  __cxa_free_exception(object);
}
#define OPC_TYPE(name) extern WEAK char _ZTI##name[]
#else
static void opc_charge_throw_of(void *type) { (void)type; }
_Noreturn void __cxa_throw(void *object, void *type, void (*destroy)(void *));
_Noreturn void LIBRARY(__cxa_throw)(void *object, void *type, void (*destroy)(void *)) {
  __cxa_throw(object, type, destroy);
}
_Noreturn void __cxa_rethrow(void);
_Noreturn void LIBRARY(__cxa_rethrow)(void) { __cxa_rethrow(); }
#define OPC_TYPE(name) enum { _ZTI##name = 0 }
#endif

OPC_TYPE(St11logic_error);
OPC_TYPE(St12length_error);
OPC_TYPE(St12out_of_range);
OPC_TYPE(St16invalid_argument);
OPC_TYPE(St9bad_alloc);
OPC_TYPE(St20bad_array_new_length);
OPC_TYPE(St17bad_function_call);
OPC_TYPE(St8bad_cast);

#define THROWS(name, type)                    \
  _Noreturn void name(void);                  \
  _Noreturn void LIBRARY(name)(void) {        \
    opc_charge_throw_of((void *)_ZTI##type);  \
    name();                                   \
  }
THROWS(_ZSt17__throw_bad_allocv, St9bad_alloc)
THROWS(_ZSt28__throw_bad_array_new_lengthv, St20bad_array_new_length)
THROWS(_ZSt25__throw_bad_function_callv, St17bad_function_call)
THROWS(_ZSt16__throw_bad_castv, St8bad_cast)

// Translated, kept, thrown.
#define THROWS_TEXT(name, type)               \
  _Noreturn void name(const char *text);      \
  _Noreturn void LIBRARY(name)(const char *text) { \
    opc_charge_copy(LIBRARY(strlen)(text));   \
    opc_charge_copy(LIBRARY(strlen)(text));   \
    opc_charge_throw_of((void *)_ZTI##type);  \
    name(text);                               \
  }
THROWS_TEXT(_ZSt19__throw_logic_errorPKc, St11logic_error)
THROWS_TEXT(_ZSt20__throw_length_errorPKc, St12length_error)
THROWS_TEXT(_ZSt20__throw_out_of_rangePKc, St12out_of_range)
THROWS_TEXT(_ZSt24__throw_invalid_argumentPKc, St16invalid_argument)

// Its numbers are put into the text by the library.
_Noreturn void _ZSt20__throw_out_of_rangePKc(const char *text);
_Noreturn void LIBRARY(_ZSt24__throw_out_of_range_fmtPKcz)(const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  opc_charge_throw_of((void *)_ZTISt12out_of_range);
  _ZSt20__throw_out_of_rangePKc(text);
}

// What a member of the library throws itself, besides.
enum { THROWN = 22000 };
static void opc_charge_out_of_range(void) {
  opc_charge_units(THROWN);
  opc_charge_throw_of((void *)_ZTISt12out_of_range);
}
static void opc_charge_logic_error(void) {
  opc_charge_units(THROWN);
  opc_charge_throw_of((void *)_ZTISt11logic_error);
}
