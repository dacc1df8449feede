/* Which activations are open?
 *
 * Each thread has a stack of slots, one for each loop that it is in. A loop
 * that is left by an exit takes its slot away, and with it all above: those
 * belong to frames that are gone, and their loops were left by a jump or an
 * exception. A turn of a loop that calls does the same, so that a program that
 * jumps for ever needs no more slots. Slots that are there at the end are
 * loops still open. On stacks that are switched (ucontext) this does not hold:
 * loops are then left that are not on the stack, and counted as strays. */

static OPC_TLS struct opc_slab *opc_own_slab;
static struct opc_slot opc_lost_slot, opc_missed_slot; /* nobody reads what is in them */
static pthread_key_t opc_slab_key;
static bool opc_has_slab_key;

static uint64_t *opc_states(struct opc_slab *slab) { return (uint64_t *)(slab + 1); }

/* A signal's handler may come in the middle of a record; what it would record is
 * dropped, and counted. If it jumped out of that record, the frame that was busy is
 * gone: then this frame lies where it was, or outside of it. */
static bool opc_begin(struct opc_slab *slab, uintptr_t here) {
    uintptr_t busy = slab->busy;
    if (busy && !(here >= busy && here - busy < 1ul << 20)) {
        slab->missed++;
        return false;
    }
    slab->busy = here;
    opc_in_order();
    return true;
}

static void opc_done(struct opc_slab *slab) {
    opc_in_order();
    slab->busy = 0;
}

static struct opc_point *opc_point_of(struct opc_slab *slab, const struct opc_what *what) {
    uint64_t *state = &opc_states(slab)[what->number];
    if (!*state) {
        opc_lock();
        uint64_t at = opc_take(sizeof(struct opc_point));
        opc_unlock();
        if (!at) return NULL;
        *state = at;
    }
    return OPC_AT(struct opc_point, *state);
}

static struct opc_slot *opc_slot_at(struct opc_slab *slab, uint64_t position) {
    uint64_t chunk = position / OPC_SLOTS_A_CHUNK;
    if (chunk >= OPC_CHUNKS) return NULL;
    if (!slab->chunks[chunk]) {
        opc_lock();
        uint64_t at = opc_take(OPC_SLOTS_A_CHUNK * sizeof(struct opc_slot));
        opc_unlock();
        if (!at) return NULL;
        slab->chunks[chunk] = at;
    }
    return OPC_AT(struct opc_slot, slab->chunks[chunk]) + position % OPC_SLOTS_A_CHUNK;
}

static const struct opc_what *opc_what_of(uint64_t number) {
    for (const struct opc_value_module *module = __start_opc_val; module < __stop_opc_val; module++)
        if (module->count && number - module->points->number < module->count)
            return &module->points[number - module->points->number];
    return NULL;
}

/* The loops above `depth` were left otherwise than by their exits. */
static void opc_discard(struct opc_slab *slab, uint64_t depth) {
    while (slab->depth > depth) {
        struct opc_slot *slot = opc_slot_at(slab, slab->depth - 1);
        const struct opc_what *what = opc_what_of(slot->point - 1);
        struct opc_point *point = what ? opc_point_of(slab, what) : NULL;
        slab->depth--;
        if (!point) continue;
        if (slot->inherited) {
            point->inherited++;
            point->inherited_turns += slot->turns - slot->base;
            continue;
        }
        point->left++;
        point->left_turns += slot->turns;
        if (slot->turns > point->left_most) point->left_most = slot->turns;
        opc_hold(point, what, slot, slot->turns, false);
    }
}

/* The thread is ending; code of it that still runs asks again. */
static void opc_release(void *data) {
    struct opc_slab *slab = data;
    opc_own_slab = NULL;
    slab->busy = 1;
    opc_discard(slab, 0);
    slab->busy = 0;
    __atomic_store_n(&slab->taken, 0, __ATOMIC_RELEASE);
}

static struct opc_slab *opc_new_slab(void) {
    struct opc_slab *slab = NULL;
    opc_lock();
    for (uint64_t at = opc_file->first_slab; at && !slab; at = OPC_AT(struct opc_slab, at)->next)
        if (!__atomic_load_n(&OPC_AT(struct opc_slab, at)->taken, __ATOMIC_ACQUIRE)) slab = OPC_AT(struct opc_slab, at);
    if (!slab) {
        uint64_t at = opc_take(sizeof *slab + 8 * opc_file->points);
        if (at) {
            slab = OPC_AT(struct opc_slab, at);
            slab->next = opc_file->first_slab;
            opc_in_order();
            opc_file->first_slab = at;
        }
    }
    if (slab) slab->taken = 1;
    opc_unlock();
    return slab;
}

static struct opc_slab *opc_ask_for_slab(void) {
    if (__atomic_load_n(&opc_state, __ATOMIC_ACQUIRE) != 2) opc_start();
    if (!opc_file) return NULL;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* a handler would ask for one, too */
    opc_own_slab = opc_new_slab();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    /* Last, since it may call a malloc that records. The first thread ends with the program. */
    if (opc_own_slab && opc_has_slab_key && syscall(SYS_gettid) != getpid())
        pthread_setspecific(opc_slab_key, opc_own_slab);
    return opc_own_slab;
}

static inline struct opc_slab *opc_slab_here(void) {
    struct opc_slab *slab = opc_own_slab;
    if (__builtin_expect(slab != NULL, 1)) return slab;
    if (!opc_file && opc_state == 2) return NULL;
    return opc_ask_for_slab();
}

#define OPC_HERE ((uintptr_t)__builtin_frame_address(0))

OPC_INSTRUMENTED struct opc_slot *opc_values_enter(const struct opc_what *what) {
    struct opc_slab *slab = opc_slab_here();
    if (!slab || !opc_begin(slab, OPC_HERE)) return &opc_missed_slot;
    struct opc_point *point = opc_point_of(slab, what);
    struct opc_slot *slot = point ? opc_slot_at(slab, slab->depth) : NULL;
    if (!point) {
        slot = &opc_missed_slot;
        slab->lost++;
    } else if (!slot) {
        point->entries++;
        slab->lost++;
        slot = &opc_lost_slot;
    } else {
        point->entries++;
        memset(slot, 0, offsetof(struct opc_slot, inputs)); /* nobody reads an input that was not noted */
        slot->point = what->number + 1;
        slot->position = slab->depth;
        opc_in_order();
        slab->depth++;
    }
    opc_done(slab);
    return slot;
}

OPC_INSTRUMENTED void opc_values_leave(const struct opc_what *what, struct opc_slot *slot, uint64_t turns) {
    struct opc_slab *slab = opc_slab_here();
    if (!slab || slot == &opc_missed_slot || !opc_begin(slab, OPC_HERE)) return;
    struct opc_point *point = opc_point_of(slab, what);
    bool is_lost = slot == &opc_lost_slot;
    if (!point || (!is_lost && (slot->position >= slab->depth || opc_slot_at(slab, slot->position) != slot
                                || slot->point != what->number + 1))) {
        slab->strays++;
    } else if (!is_lost && slot->inherited) {
        opc_discard(slab, slot->position);
    } else {
        if (!is_lost) {
            opc_discard(slab, slot->position + 1);
            slab->depth = slot->position;
            opc_hold(point, what, slot, turns, true);
        } else if (what->check) {
            point->unchecked++;
        }
        point->complete++;
        opc_add(slab, point, what, (int64_t)turns);
    }
    opc_done(slab);
}

/* A turn of a loop that calls: loops above it were left. */
OPC_INSTRUMENTED void opc_values_turn(struct opc_slot *slot) {
    struct opc_slab *slab = opc_slab_here();
    if (!slab || slot == &opc_missed_slot || slot == &opc_lost_slot || slab->depth <= slot->position + 1) return;
    if (!opc_begin(slab, OPC_HERE)) return;
    if (opc_slot_at(slab, slot->position) == slot) opc_discard(slab, slot->position + 1);
    opc_done(slab);
}

/* Without a point the value is poison in this execution, which says nothing. */
OPC_INSTRUMENTED void opc_values_record(const struct opc_what *what, int64_t value) {
    if (!what) return;
    struct opc_slab *slab = opc_slab_here();
    if (!slab || !opc_begin(slab, OPC_HERE)) return;
    struct opc_point *point = opc_point_of(slab, what);
    if (point) {
        /* Doubles in an order of their own: of negative ones all bits but the sign. */
        if (what->kind == OPC_KIND_FLOAT) value ^= (int64_t)((uint64_t)(value >> 63) >> 1);
        point->entries++;
        point->complete++;
        opc_add(slab, point, what, value);
    } else {
        slab->lost++;
    }
    opc_done(slab);
}
