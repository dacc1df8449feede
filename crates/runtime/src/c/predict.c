/* What does a program that predicts itself add up, and what does it say at its end?
 *
 * Each charge adds to two sums of its function: what is exact, in instructions,
 * and what is an estimate, in parts of one. Sums have 128 bits; a sum that does
 * not fit says so. They are added in two halves without a lock, so that threads
 * and signal handlers may charge at any time. A formula that has no number (more
 * than 128 bits, a division by zero, an input that is not known) is an estimate.
 *
 * The result goes to the file that OPCOST_PREDICTED names when the program
 * starts, else to stderr. It is written when the program returns from main or
 * calls exit, after its own handlers. A child of fork writes nothing, and
 * neither does a program that a signal or _exit ends. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "values.h"
#include "own.h"
/* Nobody reads along while a check is evaluated. */
#define opc_in_order() ((void)0)
#include "values_check.c"

typedef unsigned __int128 opc_wide;

enum { OPC_CHARGE_FORMULA = 1, OPC_CHARGE_EXACT = 2, OPC_CHARGE_EARLY_END = 4 };
#define OPC_ESTIMATE_PARTS 65536u

struct opc_sums {
    const char *function;
    uint64_t exact[2], estimated[2];
};

struct opc_charge {
    struct opc_sums *sums;
    const struct opc_step *steps;
    uint64_t step_count, input_count, flags;
    uint64_t stay[2], leave[2], guess[2];
};

/* All functions that have charges. A program without any has no such section. */
extern struct opc_sums __start_opc_prd[] __attribute__((weak, visibility("hidden")));
extern struct opc_sums __stop_opc_prd[] __attribute__((weak, visibility("hidden")));

static bool opc_is_guessed, opc_ended_early, opc_overflowed;
static char opc_result_path[PATH_MAX];
static pid_t opc_own_process;

static void opc_note(bool *what) { __atomic_store_n(what, true, __ATOMIC_RELAXED); }

static opc_wide opc_joined(const uint64_t halves[2]) { return (opc_wide)halves[1] << 64 | halves[0]; }

static void opc_add(uint64_t sum[2], opc_wide amount) {
    uint64_t low = (uint64_t)amount, high = (uint64_t)(amount >> 64);
    uint64_t before = __atomic_fetch_add(&sum[0], low, __ATOMIC_RELAXED);
    opc_wide carried = (opc_wide)high + (before + low < before);
    if (!carried) return;
    uint64_t upper = __atomic_fetch_add(&sum[1], (uint64_t)carried, __ATOMIC_RELAXED);
    if (((opc_wide)upper + carried) >> 64) opc_note(&opc_overflowed);
}

/* stay · back edges + leave, if it fits. */
static bool opc_amount(const struct opc_charge *charge, opc_exact back_edges, opc_wide *amount) {
    opc_wide stay = opc_joined(charge->stay), leave = opc_joined(charge->leave);
    opc_wide times = back_edges > 0 ? (opc_wide)back_edges : 0;
    if (stay && times > ~(opc_wide)0 / stay) return false;
    *amount = stay * times;
    return !__builtin_add_overflow(*amount, leave, amount);
}

static bool opc_back_edges(const struct opc_charge *charge, const struct opc_slot *noted, opc_exact *back_edges) {
    if (!noted || noted->noted < charge->input_count) return false;
    struct opc_what what = {.steps = charge->steps, .step_count = charge->step_count, .input_count = charge->input_count};
    struct opc_number result = opc_evaluate(&what, noted);
    *back_edges = result.value;
    return result.known == OPC_FINE;
}

void opc_predict_charge(const struct opc_charge *charge, const struct opc_slot *noted) {
    struct opc_sums *sums = charge->sums;
    opc_exact back_edges = 0;
    bool is_exact = charge->flags & OPC_CHARGE_EXACT, has_formula = charge->flags & OPC_CHARGE_FORMULA;
    if (charge->flags & OPC_CHARGE_EARLY_END) opc_note(&opc_ended_early);
    if (has_formula ? !opc_back_edges(charge, noted, &back_edges) : !is_exact) {
        opc_note(&opc_is_guessed);
        opc_add(sums->estimated, opc_joined(charge->guess));
        return;
    }
    opc_wide amount;
    if (!opc_amount(charge, back_edges, &amount)) {
        opc_note(&opc_overflowed);
        return;
    }
    if (!is_exact) opc_note(&opc_is_guessed);
    opc_add(is_exact ? sums->exact : sums->estimated, amount);
}

/* The digits of a number, at the end of a text of 40 bytes. */
static const char *opc_digits(opc_wide number, char text[40]) {
    char *at = text + 39;
    *at = 0;
    do *--at = (char)('0' + (int)(number % 10));
    while (number /= 10);
    return at;
}

static opc_wide opc_whole(opc_wide exact, opc_wide estimated) {
    opc_wide sum, whole = estimated / OPC_ESTIMATE_PARTS + (estimated % OPC_ESTIMATE_PARTS >= OPC_ESTIMATE_PARTS / 2);
    if (__builtin_add_overflow(exact, whole, &sum)) {
        opc_note(&opc_overflowed);
        return ~(opc_wide)0;
    }
    return sum;
}

static const char *opc_yes(bool is) { return is ? "yes" : "no"; }

/* No stream: it would call the program's own malloc, where there is one. */
static void __attribute__((format(printf, 2, 3))) opc_say(int file, const char *format, ...) {
    static char text[3 * PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    int length = opc_own_vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof text) length = sizeof text - 1;
    for (int at = 0; at < length;) {
        ssize_t done = write(file, text + at, (size_t)(length - at));
        if (done <= 0) return;
        at += (int)done;
    }
}

static void opc_write_file(int file, opc_wide exact, opc_wide estimated) {
    char total[40], sure[40], guessed[40];
    bool is_exact = !opc_is_guessed && !opc_ended_early && !opc_overflowed;
    const char *digits = opc_digits(opc_whole(exact, estimated), total);
    opc_say(file, "predicted %s\nwithout_guesses %s\nfrom_formulas %s\nfrom_static_probabilities %s\n", digits, opc_yes(is_exact),
            opc_digits(exact, sure), opc_digits(opc_whole(0, estimated), guessed));
    opc_say(file, "may_end_early %s\nmore_than_128_bits %s\n", opc_yes(opc_ended_early), opc_yes(opc_overflowed));
    for (struct opc_sums *sums = __start_opc_prd; sums != __stop_opc_prd; sums++) {
        opc_wide own = opc_whole(opc_joined(sums->exact), opc_joined(sums->estimated));
        if (own) opc_say(file, "function %s %s\n", opc_digits(own, total), sums->function);
    }
}

static void opc_write_words(int file, opc_wide exact, opc_wide estimated) {
    char total[40];
    const char *digits = opc_digits(opc_whole(exact, estimated), total);
    const char *why = opc_overflowed     ? "at least: a sum needs more than 128 bits"
                      : opc_is_guessed   ? "an estimate: some loops are guessed by static probabilities"
                      : opc_ended_early  ? "an estimate: code that was counted in advance may not have run"
                                         : "no guess took part";
    opc_say(file, "opcost: %s instructions predicted (%s)\n", digits, why);
}

__attribute__((constructor(101))) static void opc_begin(void) {
    opc_own_process = (pid_t)syscall(SYS_getpid);
    const char *path = secure_getenv("OPCOST_PREDICTED");
    if (path && strlen(path) < sizeof opc_result_path) strcpy(opc_result_path, path);
}

__attribute__((destructor(101))) static void opc_end(void) {
    if ((pid_t)syscall(SYS_getpid) != opc_own_process) return;
    opc_wide exact = 0, estimated = 0;
    for (struct opc_sums *sums = __start_opc_prd; sums != __stop_opc_prd; sums++) {
        if (__builtin_add_overflow(exact, opc_joined(sums->exact), &exact) ||
            __builtin_add_overflow(estimated, opc_joined(sums->estimated), &estimated))
            opc_note(&opc_overflowed);
    }
    if (!*opc_result_path) {
        opc_write_words(STDERR_FILENO, exact, estimated);
        return;
    }
    int file = open(opc_result_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) {
        opc_say(STDERR_FILENO, "opcost: cannot write %s, which OPCOST_PREDICTED names\n", opc_result_path);
        opc_write_words(STDERR_FILENO, exact, estimated);
        return;
    }
    opc_write_file(file, exact, estimated);
    close(file);
}
