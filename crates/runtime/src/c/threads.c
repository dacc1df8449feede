/* Where does a thread count?
 *
 * The first thread in the section itself, every other in a slab of its own:
 * a copy of the section's layout at the end of the file, at a distance that
 * instrumented functions read once per call from `opc_thread_delta`. So no
 * counter is shared and none needs an atomic operation. A slab whose thread
 * ended serves the next thread: only sums matter. */

OPC_HIDDEN OPC_TLS intptr_t opc_thread_delta = INTPTR_MIN; /* not asked yet */

static OPC_TLS struct opc_slab *opc_own_slab;
static struct opc_slab *opc_free_slabs;
static pthread_key_t opc_slab_key;
static bool opc_has_slab_key;
static int opc_slabs_locked;

static void opc_lock_slabs(sigset_t *before) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before); /* a handler may ask for its slab too */
    while (__atomic_exchange_n(&opc_slabs_locked, 1, __ATOMIC_ACQUIRE)) sched_yield();
}

static void opc_unlock_slabs(const sigset_t *before) {
    __atomic_store_n(&opc_slabs_locked, 0, __ATOMIC_RELEASE);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* The thread is ending; code of it that still runs asks again. */
static void opc_release_slab(void *data) {
    struct opc_slab *slab = data;
    sigset_t before;
    opc_lock_slabs(&before);
    opc_thread_delta = INTPTR_MIN;
    opc_own_slab = NULL;
    __atomic_store_n(&slab->tid, 0, __ATOMIC_SEQ_CST);
    slab->next_free = opc_free_slabs;
    opc_free_slabs = slab;
    opc_unlock_slabs(&before);
}

/* Appends one slab to the file and maps it, at `place` if not null. The file
 * is opened again by name: a descriptor kept open would show in the program. */
static char *opc_append_slab(struct opc_image *image, char *place) {
    struct opc_header *header = image->header;
    uint64_t at = header->slabs_offset + header->slabs_count * header->slab_stride;
    int fd = open(image->file, O_RDWR | O_CLOEXEC);
    if (fd < 0) return NULL;
    char *cells = MAP_FAILED;
    if (opc_reserve(fd, at, header->slab_stride) == 0)
        cells = mmap(place, header->slab_stride, PROT_READ | PROT_WRITE, MAP_SHARED | (place ? MAP_FIXED : 0),
                     fd, (off_t)at);
    close(fd);
    if (cells == MAP_FAILED) return NULL;
    __atomic_store_n(&header->slabs_count, header->slabs_count + 1, __ATOMIC_RELEASE);
    return cells;
}

/* The first thread's is the section itself. */
static struct opc_slab *opc_take_slab(struct opc_image *image, bool is_first) {
    struct opc_slab *slab = is_first ? NULL : opc_free_slabs;
    if (slab) {
        opc_free_slabs = slab->next_free;
        return slab;
    }
    slab = opc_memory(sizeof *slab);
    if (!slab) return NULL;
    slab->cells = is_first ? image->section : opc_append_slab(image, NULL);
    if (!slab->cells) {
        munmap(slab, sizeof *slab);
        return NULL;
    }
    slab->next = image->slabs;
    __atomic_store_n(&image->slabs, slab, __ATOMIC_SEQ_CST);
    return slab;
}

/* Called by an instrumented function whose thread has no distance yet, or
 * whose distance was withdrawn since another thread ends the program. */
OPC_HIDDEN __attribute__((used)) intptr_t opc_thread_start(void) {
    int error = errno;
    struct opc_image *image = opc_own;
    pid_t tid = (pid_t)syscall(SYS_gettid);
    bool is_first = tid == getpid();
    if (!image || !image->header) return opc_thread_delta = 0;
    sigset_t before;
    opc_lock_slabs(&before);
    if (!is_first && !opc_has_slab_key)
        opc_has_slab_key = pthread_key_create(&opc_slab_key, opc_release_slab) == 0;
    struct opc_slab *slab = opc_own_slab ? opc_own_slab : opc_take_slab(image, is_first);
    opc_thread_delta = slab ? slab->cells - image->section : 0;
    if (slab && slab != opc_own_slab) {
        /* The kernel puts it above the first thread's stack, the library its own data above others'. */
        slab->top = is_first ? getauxval(AT_RANDOM) : (uintptr_t)pthread_self();
        slab->delta = &opc_thread_delta;
        opc_own_slab = slab;
        __atomic_store_n(&slab->tid, tid, __ATOMIC_SEQ_CST);
    }
    opc_unlock_slabs(&before);
    pid_t ender = __atomic_load_n(&opc_process->ender, __ATOMIC_SEQ_CST);
    if (ender && ender != tid) opc_flag(OPC_FLAG_THREADS_RUNNING);
    if (is_first) {
        errno = error;
        return opc_thread_delta;
    }
    opc_flag(slab ? OPC_FLAG_THREADS_SEEN : OPC_FLAG_THREADS_SEEN | OPC_FLAG_SLAB_LOST);
    /* Last, since it may call a counted malloc, which must find its distance. */
    if (slab && opc_has_slab_key) pthread_setspecific(opc_slab_key, slab);
    errno = error;
    return opc_thread_delta;
}

/* The forking thread keeps the addresses it counts at, in the child's file;
 * slabs of threads that stayed behind are forgotten. */
static void opc_slabs_in_child(struct opc_image *image) {
    opc_slabs_locked = 0;
    opc_free_slabs = NULL;
    image->slabs = opc_own_slab;
    if (!opc_own_slab) return;
    opc_own_slab->next = NULL;
    opc_own_slab->tid = (pid_t)syscall(SYS_gettid);
    if (opc_own_slab->cells == image->section) return;
    if (image->header && opc_append_slab(image, opc_own_slab->cells)) return;
    mmap(opc_own_slab->cells, opc_round(image->section_bytes), PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    opc_flag(OPC_FLAG_SLAB_LOST);
}

/* The image is unloaded: threads that end later must not call into it. */
static void opc_slabs_end(void) {
    if (opc_has_slab_key) pthread_key_delete(opc_slab_key);
}

OPC_HIDDEN int opc_wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                       void *(*start)(void *), void *argument) {
    opc_flag(opc_own && opc_own->is_shared ? OPC_FLAG_THREADS_SEEN | OPC_FLAG_THREADS_SHARED : OPC_FLAG_THREADS_SEEN);
    return pthread_create(thread, attributes, start, argument);
}
