/* What does a child of fork record?
 *
 * Its own work only, in a file of its own at the same addresses. Loops that
 * were open in the forking thread go on in the child: their slots come along,
 * marked as inherited, and count for neither side twice. What the child needs
 * of the parent is put aside before the fork, since the parent goes on at once
 * and both share the mapping until the child has its own. */

struct opc_aside {
    uint64_t bytes; /* of this */
    uint64_t slab;  /* where the slab lies in the file; 0: the thread has none */
    uint64_t depth;
    uint64_t used;
    uint64_t busy; /* of the slab, before */
    uint64_t chunks[OPC_CHUNKS];
    struct opc_slot slots[];
};

static OPC_TLS struct opc_aside *opc_aside;

static void opc_before_fork(void) {
    if (!opc_file) return;
    struct opc_slab *slab = opc_own_slab;
    uint64_t depth = slab ? slab->depth : 0;
    uint64_t bytes = sizeof *opc_aside + depth * sizeof(struct opc_slot);
    opc_aside = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (opc_aside == MAP_FAILED) {
        opc_aside = NULL;
        return;
    }
    if (slab) {
        opc_aside->busy = slab->busy;
        slab->busy = 1; /* a handler that records would wait for the lock for ever */
    }
    opc_lock();
    opc_aside->bytes = bytes;
    opc_aside->used = opc_file->used;
    if (!slab) return;
    opc_aside->slab = (uint64_t)((char *)slab - (char *)opc_file);
    opc_aside->depth = depth;
    memcpy(opc_aside->chunks, slab->chunks, sizeof slab->chunks);
    for (uint64_t i = 0; i < depth; i++) opc_aside->slots[i] = *opc_slot_at(slab, i);
}

static void opc_drop_aside(void) {
    if (!opc_aside) return;
    uint64_t busy = opc_aside->busy;
    munmap(opc_aside, opc_aside->bytes);
    opc_aside = NULL;
    opc_unlock();
    if (opc_own_slab) opc_own_slab->busy = busy;
}

static void opc_in_parent(void) { opc_drop_aside(); }

static void opc_restore(void) {
    struct opc_slab *slab = OPC_AT(struct opc_slab, opc_aside->slab);
    slab->taken = 1;
    memcpy(slab->chunks, opc_aside->chunks, sizeof slab->chunks);
    for (uint64_t i = 0; i < opc_aside->depth; i++) {
        struct opc_slot *slot = opc_slot_at(slab, i);
        *slot = opc_aside->slots[i];
        slot->base = slot->turns;
        slot->inherited = 1;
    }
    slab->depth = opc_aside->depth;
    opc_file->first_slab = opc_aside->slab;
}

/* Without a file the child goes on as the parent's shadow: in memory of its own. */
static void opc_in_child(void) {
    if (!opc_file || !opc_aside) return;
    int error = errno;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    void *place = opc_file;
    uint64_t used = opc_aside->used;
    opc_file = opc_open(place, used);
    if (opc_file) {
        opc_file->is_forked = 1;
        if (opc_aside->slab) opc_restore();
    } else {
        mmap(place, opc_addresses, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        opc_own_slab = NULL;
    }
    opc_drop_aside();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
}

static void opc_watch_forks(void) {
    opc_has_slab_key = pthread_key_create(&opc_slab_key, opc_release) == 0;
    pthread_atfork(opc_before_fork, opc_in_parent, opc_in_child);
}

/* A child of vfork runs in its parent's memory; as a child of fork it has its own. */
OPC_HIDDEN pid_t opc_values_vfork(void) { return fork(); }

__attribute__((destructor(101))) static void opc_end(void) {
    if (!opc_file) return;
    if ((pid_t)opc_file->pid == getpid())
        opc_file->end_state = 1;
    else
        opc_say(OPC_VALUES_CLONED);
    /* The image may be unloaded: threads that end later must not call into it. */
    if (opc_has_slab_key) pthread_key_delete(opc_slab_key);
    opc_has_slab_key = false;
}
