/* Where does it lie?
 *
 * OPCOST_VALUES says `memory:sample:directory`. Addresses for all that may
 * come are taken at the start, far more than is used, and the file grows
 * below them, so that nothing ever moves. Room is asked for before it is
 * touched: a full disk would otherwise be SIGBUS in the user's program. */

extern OPC_HIDDEN __attribute__((weak)) const struct opc_value_module __start_opc_val[], __stop_opc_val[];

static struct opc_value_header *opc_file; /* null: nothing is recorded */
static uint64_t opc_addresses;            /* how many were taken */
static char opc_name[PATH_MAX + 256];
static char opc_folder[PATH_MAX];
static int opc_state; /* 0 not started, 1 starting, 2 done */
static int opc_locked;
static uint64_t opc_memory_limit, opc_sample;

#define OPC_AT(type, offset) ((type *)((char *)opc_file + (offset)))
#define OPC_GROWTH (1ul << 20)

static void opc_lock(void) {
    while (__atomic_exchange_n(&opc_locked, 1, __ATOMIC_ACQUIRE)) sched_yield();
}

static void opc_unlock(void) { __atomic_store_n(&opc_locked, 0, __ATOMIC_RELEASE); }

static void opc_say(uint64_t flag) { __atomic_fetch_or(&opc_file->flags, flag, __ATOMIC_RELAXED); }

/* A limit on file sizes would come as SIGXFSZ: look before asking. */
static int opc_reserve(int fd, uint64_t offset, uint64_t bytes) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && offset + bytes > limit.rlim_cur)
        return EFBIG;
    int error;
    do error = posix_fallocate(fd, (off_t)offset, (off_t)bytes);
    while (error == EINTR);
    return error;
}

/* The file is opened again by name: a descriptor kept open would show in the program. */
static bool opc_grow(uint64_t wanted) {
    uint64_t bytes = (wanted + OPC_GROWTH - 1) & -OPC_GROWTH;
    if (bytes > opc_addresses) return false;
    int fd = open(opc_name, O_RDWR | O_CLOEXEC);
    if (fd < 0) return false;
    bool is_there = opc_reserve(fd, opc_file->reserved, bytes - opc_file->reserved) == 0;
    close(fd);
    if (is_there) opc_file->reserved = bytes;
    return is_there;
}

/* Zeroed bytes of the file; 0: there is no room. The caller holds the lock. */
static uint64_t opc_take(uint64_t bytes) {
    int error = errno;
    uint64_t at = (opc_file->used + 63) & -64ul;
    bool is_there = at + bytes <= opc_file->reserved || opc_grow(at + bytes);
    errno = error;
    if (!is_there) {
        opc_say(OPC_VALUES_NO_ROOM);
        return 0;
    }
    opc_file->used = at + bytes;
    return at;
}

static void opc_complain(const char *act, int error) {
    char text[PATH_MAX + 256];
    int length = snprintf(text, sizeof text, "opcost: cannot %s the file of values in %s: %s; the program runs on unrecorded\n",
                          act, opc_folder, strerror(error));
    if (write(2, text, (size_t)length) < 0) return;
}

/* dlopen may load twice, exec keeps the pid: the sequence makes the name free. */
static int opc_create(uint32_t *sequence) {
    for (*sequence = 0; *sequence < 1000000; ++*sequence) {
        snprintf(opc_name, sizeof opc_name, "%s/%d-%u.opcval", opc_folder, (int)getpid(), *sequence);
        int fd = open(opc_name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

static int opc_visit_image(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    struct opc_value_header *header = data;
    bool is_own = false;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + segment->p_vaddr, here = (uintptr_t)&opc_file;
        is_own |= segment->p_type == PT_LOAD && start <= here && here < start + segment->p_memsz;
    }
    if (!is_own) return 0;
    char *path = (char *)header->image_path;
    if (!info->dlpi_name || !info->dlpi_name[0]) {
        if (readlink("/proc/self/exe", path, sizeof header->image_path - 1) < 0) path[0] = 0;
    } else {
        strncpy(path, info->dlpi_name, sizeof header->image_path - 1);
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_NOTE) continue;
        const char *at = (const char *)(info->dlpi_addr + segment->p_vaddr), *end = at + segment->p_memsz;
        while (at + sizeof(ElfW(Nhdr)) <= end) {
            const ElfW(Nhdr) *note = (const void *)at;
            const char *name = at + sizeof *note, *content = name + ((note->n_namesz + 3) & -4u);
            at = content + ((note->n_descsz + 3) & -4u);
            if (at > end || note->n_type != NT_GNU_BUILD_ID || note->n_namesz != 4 || memcmp(name, "GNU", 4)) continue;
            header->build_id_bytes = note->n_descsz < 32 ? note->n_descsz : 32;
            memcpy(header->build_id, content, header->build_id_bytes);
        }
    }
    return 1;
}

static uint64_t opc_number_points(void) {
    uint64_t points = 0;
    for (const struct opc_value_module *module = __start_opc_val; module < __stop_opc_val; module++)
        for (uint64_t i = 0; i < module->count; i++) module->points[i].number = points++;
    return points;
}

/* Fills a new file, of which `used` bytes are kept free for what was there before. */
static void opc_fill(struct opc_value_header *file, uint32_t sequence, uint64_t used, uint64_t reserved) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    file->version = OPC_VALUES_VERSION;
    file->header_bytes = OPC_VALUES_HEADER_BYTES;
    file->pid = (uint32_t)getpid();
    file->parent_pid = (uint32_t)getppid();
    file->start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    file->sequence = sequence;
    file->sample = opc_sample;
    file->memory_limit = opc_memory_limit;
    file->reserved = reserved;
    file->points = opc_number_points();
    file->modules_offset = OPC_VALUES_HEADER_BYTES;
    file->modules_count = (uint64_t)(__stop_opc_val - __start_opc_val);
    struct opc_value_entry *entries = (void *)((char *)file + file->modules_offset);
    for (uint64_t i = 0; i < file->modules_count; i++) {
        memcpy(entries[i].hash, __start_opc_val[i].hash, 16);
        entries[i].first = __start_opc_val[i].count ? __start_opc_val[i].points->number : 0;
        entries[i].count = __start_opc_val[i].count;
    }
    uint64_t end = file->modules_offset + file->modules_count * sizeof *entries;
    file->used = end > used ? end : used;
    dl_iterate_phdr(opc_visit_image, file);
}

/* Makes the file and maps it at `place`, or anywhere if that is null. */
static struct opc_value_header *opc_open(void *place, uint64_t used) {
    uint32_t sequence;
    int fd = opc_create(&sequence);
    if (fd < 0) {
        opc_complain("create", errno);
        return NULL;
    }
    uint64_t head = OPC_VALUES_HEADER_BYTES + (uint64_t)(__stop_opc_val - __start_opc_val) * sizeof(struct opc_value_entry);
    uint64_t bytes = ((used > head ? used : head) + OPC_GROWTH - 1) & -OPC_GROWTH;
    void *file = MAP_FAILED;
    int error = opc_reserve(fd, 0, bytes);
    if (!error) {
        int flags = MAP_SHARED | MAP_NORESERVE | (place ? MAP_FIXED : 0);
        if (!place) opc_addresses = 1ul << 36;
        do file = mmap(place, opc_addresses, PROT_READ | PROT_WRITE, flags, fd, 0);
        while (file == MAP_FAILED && !place && (opc_addresses /= 2) >= 1ul << 24);
        if (file == MAP_FAILED) error = errno;
    }
    close(fd);
    if (error) {
        unlink(opc_name);
        opc_complain("reserve", error);
        return NULL;
    }
    opc_fill(file, sequence, used, bytes);
    opc_in_order();
    memcpy(((struct opc_value_header *)file)->magic, OPC_VALUES_MAGIC, 8);
    return file;
}

static bool opc_read_wish(const char *wish) {
    char *end;
    opc_memory_limit = strtoull(wish, &end, 10);
    if (*end++ != ':') return false;
    opc_sample = strtoull(end, &end, 10);
    if (!opc_sample || *end++ != ':' || strlen(end) >= sizeof opc_folder) return false;
    strcpy(opc_folder, end);
    return true;
}

static void opc_watch_forks(void);

/* Before the first record, whoever makes it. A setuid program does not write
 * where its caller's environment tells it to. */
__attribute__((constructor(101))) static void opc_start(void) {
    int expected = 0;
    if (!__atomic_compare_exchange_n(&opc_state, &expected, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return;
    int error = errno;
    const char *wish = secure_getenv("OPCOST_VALUES");
    if (wish && opc_read_wish(wish)) opc_file = opc_open(NULL, 0);
    if (opc_file) opc_watch_forks();
    __atomic_store_n(&opc_state, 2, __ATOMIC_RELEASE);
    errno = error;
}
