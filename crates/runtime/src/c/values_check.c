/* What should the turns of a loop have been?
 *
 * A check is a stack program over exact integers, on what was noted when the
 * loop was entered. Cost: a few nanoseconds a step. A result that does not fit
 * 128 bits, or a division by zero, is none. */

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

static opc_exact opc_wrapped(opc_exact value, uint32_t argument) {
    uint32_t bits = argument & 0xff;
    opc_exact low = value & (opc_exact)((((unsigned __int128)1) << bits) - 1);
    bool is_negative = (argument & 0x100) && (low >> (bits - 1) & 1);
    return is_negative ? low - ((opc_exact)1 << bits) : low;
}

static bool opc_compares(opc_exact a, opc_exact b, uint32_t how) {
    switch (how) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return a < b;
    default: return a <= b;
    }
}

/* The instrumenter has seen to it that the stack suffices. */
static bool opc_evaluate(const struct opc_what *what, const uint64_t *inputs, opc_exact *result) {
    opc_exact stack[OPC_CHECK_STACK], rest;
    int top = -1; /* the upper number */
    for (uint64_t i = 0; i < what->step_count; i++) {
        const struct opc_step *step = &what->steps[i];
        bool is_fine = true;
        switch (step->operation) {
        case OPC_STEP_CONSTANT: stack[++top] = (opc_exact)step->high << 64 | step->low; continue;
        case OPC_STEP_INPUT: stack[++top] = inputs[step->argument]; continue;
        case OPC_STEP_WRAP: stack[top] = opc_wrapped(stack[top], step->argument); continue;
        case OPC_STEP_SELECT:
            top -= 3;
            stack[top] = opc_compares(stack[top], stack[top + 1], step->argument) ? stack[top + 2] : stack[top + 3];
            continue;
        default: break;
        }
        opc_exact b = stack[top--], *a = &stack[top];
        switch (step->operation) {
        case OPC_STEP_ADD: is_fine = opc_add_fits(*a, b, a); break;
        case OPC_STEP_SUBTRACT: is_fine = !__builtin_sub_overflow(*a, b, a); break;
        case OPC_STEP_MULTIPLY: is_fine = opc_product_fits(*a, b, a); break;
        case OPC_STEP_DIVIDE_DOWN: is_fine = opc_quotient(*a, b, a, &rest); break;
        case OPC_STEP_DIVIDE_UP:
            is_fine = opc_quotient(*a, b, a, &rest);
            if (is_fine && rest) *a += 1;
            break;
        case OPC_STEP_REMAINDER:
            is_fine = opc_quotient(*a, b, &rest, a);
            break;
        case OPC_STEP_MINIMUM: *a = *a < b ? *a : b; break;
        case OPC_STEP_MAXIMUM: *a = *a > b ? *a : b; break;
        default: return false;
        }
        if (!is_fine) return false;
    }
    *result = stack[0];
    return top == 0;
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
    opc_exact claimed;
    if (slot->noted < what->input_count || !opc_evaluate(what, slot->inputs, &claimed)) {
        point->unchecked++;
        return;
    }
    bool is_exact = is_complete && (what->check & OPC_CHECK_EXACT), assumes = what->check & OPC_CHECK_ASSUMES;
    bool held = is_exact ? (opc_exact)turns == claimed : (opc_exact)turns <= claimed;
    if (!held) opc_note_failure(point, turns, claimed);
    if (is_complete)
        ++*(held ? &point->held : assumes ? &point->violated : &point->wrong);
    else
        ++*(held ? &point->partial_held : assumes ? &point->partial_violated : &point->partial_wrong);
}
