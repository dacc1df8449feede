/* How are the values of a point kept in bounded memory?
 *
 * As runs of equal values in order of time, and as a table of how often each
 * value came. Both double while there is room. When there is none, of the runs
 * every second value goes, and again (what is left is every n-th value), and
 * the table keeps what it has: values that are not in it are counted by range
 * only. Number, sum, least and greatest are exact in any case. */

static uint64_t opc_block_class(uint64_t bytes) { return 63 - (uint64_t)__builtin_clzll(bytes); }

/* `bytes` is a power of two. No block takes more than a quarter of all, so that no
 * point starves the others at once. */
static uint64_t opc_block(uint64_t bytes) {
    struct opc_value_header *file = opc_file;
    opc_lock();
    uint64_t *free_blocks = &file->free_blocks[opc_block_class(bytes)], at = *free_blocks;
    if (at) {
        *free_blocks = *OPC_AT(uint64_t, at);
        memset(OPC_AT(char, at), 0, bytes);
    } else if (bytes <= file->memory_limit / 4 && file->memory_used + bytes <= file->memory_limit) {
        at = opc_take(bytes);
        if (at) file->memory_used += bytes;
    }
    opc_unlock();
    return at;
}

static void opc_free_block(uint64_t at, uint64_t bytes) {
    opc_lock();
    uint64_t *free_blocks = &opc_file->free_blocks[opc_block_class(bytes)];
    *OPC_AT(uint64_t, at) = *free_blocks;
    *free_blocks = at;
    opc_unlock();
}

struct opc_pair {
    int64_t value;
    uint64_t count;
};
#define OPC_FIRST_PAIRS 32ul

static struct opc_pair *opc_find(struct opc_pair *table, uint64_t capacity, int64_t value) {
    uint64_t at = ((uint64_t)value * 0x9e3779b97f4a7c15ull) >> 20;
    while (table[at & (capacity - 1)].count && table[at & (capacity - 1)].value != value) at++;
    return &table[at & (capacity - 1)];
}

static bool opc_grow_table(struct opc_point *point) {
    uint64_t old = point->table_capacity, capacity = old ? 2 * old : OPC_FIRST_PAIRS;
    uint64_t at = opc_block(capacity * sizeof(struct opc_pair));
    if (!at) return false;
    struct opc_pair *table = OPC_AT(struct opc_pair, at), *from = OPC_AT(struct opc_pair, point->table);
    for (uint64_t i = 0; i < old; i++)
        if (from[i].count) *opc_find(table, capacity, from[i].value) = from[i];
    uint64_t before = point->table;
    opc_in_order();
    /* A reader that finds the new table with the old capacity sees too little of it, never too much. */
    point->table = at;
    point->table_capacity = capacity;
    opc_in_order();
    if (before) opc_free_block(before, old * sizeof(struct opc_pair));
    return true;
}

static unsigned opc_bucket(int64_t value, uint32_t kind) {
    if (kind == OPC_KIND_FLOAT) return (unsigned)((value >> 57) + 64);
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    unsigned bits = size ? 64 - (unsigned)__builtin_clzll(size) : 0;
    return value < 0 ? 64 + bits : bits;
}

static void opc_count_value(struct opc_point *point, uint32_t kind, int64_t value, uint64_t count) {
    struct opc_pair *entry = NULL;
    if (point->table_capacity) {
        entry = opc_find(OPC_AT(struct opc_pair, point->table), point->table_capacity, value);
        if (entry->count) {
            entry->count += count;
            return;
        }
    }
    if (4 * (point->table_count + 1) > 3 * point->table_capacity) {
        if (opc_grow_table(point)) {
            entry = opc_find(OPC_AT(struct opc_pair, point->table), point->table_capacity, value);
        } else if (8 * (point->table_count + 1) > 7 * point->table_capacity) {
            point->buckets[opc_bucket(value, kind)] += count;
            opc_say(OPC_VALUES_ROUGH);
            return;
        }
    }
    entry->value = value;
    opc_in_order();
    entry->count = count;
    point->table_count++;
}

/* How many multiples of `stride` lie in [from, from + count). */
static uint64_t opc_kept(uint64_t from, uint64_t count, uint64_t stride) {
    return (from + count + stride - 1) / stride - (from + stride - 1) / stride;
}

static void opc_thin(struct opc_point *point) {
    struct opc_pair *runs = OPC_AT(struct opc_pair, point->runs);
    uint64_t to = 0, seen = 0;
    for (uint64_t i = 0; i < point->runs_count; i++) {
        struct opc_pair run = runs[i];
        uint64_t kept = opc_kept(seen, run.count, 2);
        seen += run.count;
        if (!kept) continue;
        if (to && runs[to - 1].value == run.value)
            runs[to - 1].count += kept;
        else
            runs[to++] = (struct opc_pair){run.value, kept};
    }
    point->runs_count = to;
    point->stride *= 2;
    opc_say(OPC_VALUES_THINNED);
}

static bool opc_grow_runs(struct opc_point *point) {
    uint64_t old = point->runs_capacity, capacity = old ? 2 * old : OPC_FIRST_PAIRS;
    uint64_t at = opc_block(capacity * sizeof(struct opc_pair));
    if (!at) return false;
    memcpy(OPC_AT(char, at), OPC_AT(char, point->runs), point->runs_count * sizeof(struct opc_pair));
    uint64_t before = point->runs;
    opc_in_order();
    point->runs = at;
    point->runs_capacity = capacity;
    opc_in_order();
    if (before) opc_free_block(before, old * sizeof(struct opc_pair));
    return true;
}

static void opc_append(struct opc_slab *slab, struct opc_point *point, int64_t value, uint64_t count, uint64_t number) {
    if (!point->stride) point->stride = 1;
    for (;;) {
        uint64_t kept = opc_kept(point->ended, count, point->stride);
        if (!kept) return;
        struct opc_pair *runs = OPC_AT(struct opc_pair, point->runs);
        if (point->runs_count && runs[point->runs_count - 1].value == value) {
            runs[point->runs_count - 1].count += kept;
            return;
        }
        if (point->runs_count < point->runs_capacity) {
            runs[point->runs_count] = (struct opc_pair){value, kept};
            opc_in_order();
            point->runs_count++;
            return;
        }
        if (opc_grow_runs(point)) continue;
        if (!point->runs_capacity) {
            opc_say(OPC_VALUES_THINNED);
            return;
        }
        slab->rewriting = number + 1;
        opc_in_order();
        opc_thin(point);
        opc_in_order();
        slab->rewriting = 0;
    }
}

static void opc_end_run(struct opc_slab *slab, struct opc_point *point, const struct opc_what *what) {
    int64_t value = point->run_value;
    uint64_t count = point->run_count;
    if (!count) return;
    if (!point->ended || value < point->least) point->least = value;
    if (!point->ended || value > point->most) point->most = value;
    opc_append(slab, point, value, count, what->number);
    opc_count_value(point, what->kind, value, count);
    point->ended += count;
}

static void opc_add(struct opc_slab *slab, struct opc_point *point, const struct opc_what *what, int64_t value) {
    __int128 sum = ((__int128)point->sum_high << 64 | point->sum_low) + value;
    point->sum_low = (uint64_t)sum;
    point->sum_high = (int64_t)(sum >> 64);
    if (point->wait) {
        point->wait--;
        return;
    }
    point->wait = opc_file->sample - 1;
    point->recorded++;
    if (point->run_count && point->run_value == value) {
        point->run_count++;
        return;
    }
    opc_end_run(slab, point, what);
    point->run_count = 0;
    opc_in_order();
    point->run_value = value;
    opc_in_order();
    point->run_count = 1;
}
