/* What should the turns of a loop have been?
 *
 * A check is a stack program over exact integers, on what was noted when the
 * loop was entered. What needs more than 128 bits, is divided by zero or was not
 * known is no number, and so is what is made of it; a choice looks at no more
 * than what decides it and what is chosen. Cost: a few nanoseconds a step, those
 * of sums once for each term: OPC_CHECK_TERMS in one check, OPC_ALL_TERMS in all
 * of a process; behind that an activation is counted as too long to hold. */

typedef __int128 opc_exact;

static bool opc_add_fits(opc_exact a, opc_exact b, opc_exact *sum) { return !__builtin_add_overflow(a, b, sum); }

/* The overflow check of the compiler would need a function that libgcc has not. */
static bool opc_product_fits(opc_exact a, opc_exact b, opc_exact *product) {
    if (a == (int64_t)a && b == (int64_t)b) {
        *product = a * b;
        return true;
    }
    if (a == 0 || b == 0) {
        *product = 0;
        return true;
    }
    unsigned __int128 size = a < 0 ? -(unsigned __int128)a : (unsigned __int128)a;
    unsigned __int128 other = b < 0 ? -(unsigned __int128)b : (unsigned __int128)b;
    unsigned __int128 most = ~(unsigned __int128)0 >> 1;
    if (size > most / other) return false;
    *product = (a < 0) == (b < 0) ? (opc_exact)(size * other) : -(opc_exact)(size * other);
    return true;
}

static bool opc_quotient(opc_exact a, opc_exact b, opc_exact *down, opc_exact *rest) {
    if (b == 0 || (b == -1 && a == (opc_exact)((unsigned __int128)1 << 127))) return false;
    *down = a / b;
    *rest = a - *down * b;
    if (*rest && (*rest < 0) != (b < 0)) {
        *down -= 1;
        *rest += b;
    }
    return true;
}

/* 1 to 127 bits. */
static opc_exact opc_wrapped(opc_exact value, uint32_t argument) {
    uint32_t unused = 128 - (argument & 0xff);
    unsigned __int128 high = (unsigned __int128)value << unused;
    return argument & 0x100 ? (opc_exact)high >> unused : (opc_exact)(high >> unused);
}

#define OPC_MOST ((opc_exact)(~(unsigned __int128)0 >> 1))

static bool opc_power(opc_exact base, opc_exact exponent, bool is_capped, opc_exact *result) {
    opc_exact power = 1;
    if (exponent < 0) return false;
    for (; exponent > 0; exponent--)
        if (!opc_product_fits(power, base, &power)) {
            power = OPC_MOST;
            if (!is_capped) return false;
            break;
        }
    *result = power;
    return true;
}

static opc_exact opc_ceil_log(opc_exact base, opc_exact of) {
    opc_exact reached = 1, exponent = 0;
    while (reached < of) {
        exponent++;
        if (!opc_product_fits(reached, base, &reached)) break;
    }
    return exponent;
}

/* By bits from above: the greatest root whose square is less than `of`, and one. */
static opc_exact opc_ceil_root(opc_exact of) {
    opc_exact root = 0;
    if (of <= 0) return 0;
    for (int bit = 63; bit >= 0; bit--) {
        opc_exact next = root + ((opc_exact)1 << bit);
        if ((unsigned __int128)next * (unsigned __int128)next < (unsigned __int128)of) root = next;
    }
    return root + 1;
}

static bool opc_compares(opc_exact a, opc_exact b, uint32_t how) {
    switch (how) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return a < b;
    default: return a <= b;
    }
}

enum opc_known { OPC_FINE = 0, OPC_NO_NUMBER = 1, OPC_TOO_LONG = 2 };
struct opc_number {
    opc_exact value;
    enum opc_known known;
};
struct opc_sum {
    opc_exact count, turn, sum;
    uint64_t start;
    uint32_t index;
};
struct opc_machine {
    struct opc_number stack[OPC_CHECK_STACK];
    struct opc_sum sums[OPC_CHECK_SUMS];
    int top, around; /* the upper number, the innermost sum */
    uint32_t terms;
};

static int64_t opc_terms_left = OPC_ALL_TERMS;

/* Both return which step was the last then. */
static uint64_t opc_begin_sum(struct opc_machine *machine, const struct opc_step *step, uint64_t at) {
    struct opc_number *count = &machine->stack[machine->top];
    if (count->known == OPC_FINE && count->value > 0) {
        machine->top--;
        machine->sums[++machine->around] =
            (struct opc_sum){.count = count->value, .start = at, .index = step->argument};
        return at;
    }
    count->value = 0;
    return at + step->low;
}

static uint64_t opc_end_sum(struct opc_machine *machine, uint64_t at) {
    struct opc_number *term = &machine->stack[machine->top];
    struct opc_sum *sum = &machine->sums[machine->around];
    if (term->known == OPC_FINE) {
        if (!opc_add_fits(sum->sum, term->value, &sum->sum)) {
            term->known = OPC_NO_NUMBER;
        } else if (machine->terms == OPC_CHECK_TERMS || __atomic_load_n(&opc_terms_left, __ATOMIC_RELAXED) <= 0) {
            term->known = OPC_TOO_LONG;
        } else {
            machine->terms++;
            if (++sum->turn < sum->count) {
                machine->top--;
                return sum->start;
            }
            term->value = sum->sum;
        }
    }
    machine->around--;
    return at;
}

static bool opc_single(const struct opc_step *step, opc_exact *value) {
    opc_exact constant = (opc_exact)((unsigned __int128)(uint64_t)step->high << 64 | step->low);
    switch (step->operation) {
    case OPC_STEP_WRAP: *value = opc_wrapped(*value, step->argument); return true;
    case OPC_STEP_POWER: return opc_power(constant, *value, step->argument != 0, value);
    case OPC_STEP_CEIL_LOG: *value = opc_ceil_log(constant, *value); return true;
    default: *value = opc_ceil_root(*value); return true;
    }
}

static bool opc_binary(uint32_t operation, opc_exact *a, opc_exact b) {
    opc_exact rest;
    switch (operation) {
    case OPC_STEP_ADD: return opc_add_fits(*a, b, a);
    case OPC_STEP_SUBTRACT: return !__builtin_sub_overflow(*a, b, a);
    case OPC_STEP_MULTIPLY: return opc_product_fits(*a, b, a);
    case OPC_STEP_DIVIDE_DOWN: return opc_quotient(*a, b, a, &rest);
    case OPC_STEP_DIVIDE_UP:
        if (!opc_quotient(*a, b, a, &rest)) return false;
        *a += rest != 0;
        return true;
    case OPC_STEP_DIVIDE_TOWARDS_ZERO:
        if (!opc_quotient(*a, b, a, &rest)) return false;
        *a += rest != 0 && *a < 0; /* rounded down, and below zero */
        return true;
    case OPC_STEP_REMAINDER: return opc_quotient(*a, b, &rest, a);
    case OPC_STEP_MINIMUM: *a = *a < b ? *a : b; return true;
    case OPC_STEP_MAXIMUM: *a = *a > b ? *a : b; return true;
    default: return false;
    }
}

static struct opc_number opc_chosen(const struct opc_number *four, uint32_t how) {
    if (four[0].known != OPC_FINE) return four[0];
    if (four[1].known != OPC_FINE) return four[1];
    return four[opc_compares(four[0].value, four[1].value, how) ? 2 : 3];
}

static struct opc_number opc_index(const struct opc_machine *machine, uint32_t index) {
    int at = machine->around;
    while (at > 0 && machine->sums[at].index != index) at--;
    return (struct opc_number){machine->sums[at].turn, OPC_FINE};
}

/* The instrumenter has seen to it that stack and sums suffice. */
static struct opc_number opc_evaluate(const struct opc_what *what, const struct opc_slot *slot) {
    struct opc_machine machine;
    machine.top = machine.around = -1;
    machine.terms = 0;
    for (uint64_t i = 0; i < what->step_count; i++) {
        const struct opc_step *step = &what->steps[i];
        struct opc_number *upper = &machine.stack[machine.top < 0 ? 0 : machine.top];
        bool is_fine = true;
        switch (step->operation) {
        case OPC_STEP_CONSTANT:
            machine.stack[++machine.top] =
                (struct opc_number){(opc_exact)((unsigned __int128)(uint64_t)step->high << 64 | step->low), OPC_FINE};
            break;
        case OPC_STEP_INPUT:
            machine.stack[++machine.top] = (struct opc_number){
                slot->inputs[step->argument], slot->unknown >> step->argument & 1 ? OPC_NO_NUMBER : OPC_FINE};
            break;
        case OPC_STEP_INDEX: machine.stack[++machine.top] = opc_index(&machine, step->argument); break;
        case OPC_STEP_SELECT:
            machine.top -= 3;
            machine.stack[machine.top] = opc_chosen(&machine.stack[machine.top], step->argument);
            break;
        case OPC_STEP_SUM: i = opc_begin_sum(&machine, step, i); break;
        case OPC_STEP_SUM_END: i = opc_end_sum(&machine, i); break;
        case OPC_STEP_WRAP:
        case OPC_STEP_POWER:
        case OPC_STEP_CEIL_LOG:
        case OPC_STEP_CEIL_ROOT:
            if (upper->known == OPC_FINE) is_fine = opc_single(step, &upper->value);
            if (!is_fine) upper->known = OPC_NO_NUMBER;
            break;
        default:
            upper = &machine.stack[--machine.top];
            if (upper[0].known != OPC_FINE) break;
            if (upper[1].known != OPC_FINE)
                upper->known = upper[1].known;
            else if (!opc_binary(step->operation, &upper->value, upper[1].value))
                upper->known = OPC_NO_NUMBER;
        }
    }
    if (machine.terms) __atomic_fetch_sub(&opc_terms_left, machine.terms, __ATOMIC_RELAXED);
    return machine.stack[0];
}

static void opc_note_failure(struct opc_point *point, uint64_t turns, opc_exact claimed) {
    if (point->failed_at) return;
    point->failed_turns = turns;
    point->failed_low = (uint64_t)claimed;
    point->failed_high = (int64_t)(claimed >> 64);
    opc_in_order();
    point->failed_at = point->entries;
}

static void opc_hold(struct opc_point *point, const struct opc_what *what, const struct opc_slot *slot, uint64_t turns,
                     bool is_complete) {
    if (!what->check) return;
    struct opc_number result = {0, OPC_NO_NUMBER};
    if (slot->noted >= what->input_count) result = opc_evaluate(what, slot);
    if (result.known != OPC_FINE) {
        ++*(result.known == OPC_TOO_LONG ? &point->too_long : &point->unchecked);
        return;
    }
    opc_exact claimed = result.value;
    bool is_exact = is_complete && (what->check & OPC_CHECK_EXACT), assumes = what->check & OPC_CHECK_ASSUMES;
    bool held = is_exact ? (opc_exact)turns == claimed : (opc_exact)turns <= claimed;
    if (!held) opc_note_failure(point, turns, claimed);
    if (is_complete)
        ++*(held ? &point->held : assumes ? &point->violated : &point->wrong);
    else
        ++*(held ? &point->partial_held : assumes ? &point->partial_violated : &point->partial_wrong);
}
