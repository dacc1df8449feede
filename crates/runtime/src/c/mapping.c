/* Where do the counters live?
 *
 * In a file, mapped shared over their own section: counting is a plain
 * increment, and what was counted survives every end of the program, SIGKILL
 * too. Space is reserved first, since a full disk would otherwise become
 * SIGBUS in the user's program; when it cannot be had, one line on stderr
 * says so and the program runs on uncounted. If the section has neighbours on
 * its pages (the pads were not linked first and last), counters stay private
 * and are copied at the end. */

extern OPC_HIDDEN __attribute__((weak)) char __start_opc_cnt[], __stop_opc_cnt[];
extern OPC_HIDDEN __attribute__((weak)) const struct opc_descriptor __start_opc_dsc[], __stop_opc_dsc[];
extern OPC_HIDDEN __attribute__((weak)) const char __start_opc_thr[], __stop_opc_thr[];
extern OPC_HIDDEN __attribute__((weak)) char opc_pad_begin[], opc_pad_end[];

static uint64_t opc_round(uint64_t bytes) {
    return (bytes + OPC_HEADER_BYTES - 1) & -(uint64_t)OPC_HEADER_BYTES;
}

static void opc_find_section(struct opc_image *image) {
    uintptr_t page = (uintptr_t)getauxval(AT_PAGESZ) - 1;
    image->section = __start_opc_cnt;
    image->section_bytes = (size_t)(__stop_opc_cnt - __start_opc_cnt);
    image->is_private = !opc_pad_begin || opc_pad_begin != __start_opc_cnt
                        || opc_pad_end + 64 != __stop_opc_cnt || (uintptr_t)opc_pad_begin & page
                        || (uintptr_t)opc_pad_end & page;
    if (!image->is_private) image->section_bytes = (size_t)(opc_pad_end - opc_pad_begin);
    image->is_shared = __stop_opc_thr - __start_opc_thr < __stop_opc_dsc - __start_opc_dsc;
}

/* One line, one write: other threads and children may be writing too. */
static void opc_complain(const char *act, uint64_t bytes, int error) {
    char text[PATH_MAX + 256], amount[64] = "";
    if (bytes) snprintf(amount, sizeof amount, "%llu bytes for ", (unsigned long long)bytes);
    int length = snprintf(text, sizeof text,
                          "opcost: cannot %s %scounters in %s: %s; the program runs on uncounted\n", act,
                          amount, opc_process->directory, strerror(error));
    if (write(2, text, (size_t)length) < 0) return; /* nowhere left to say it */
}

/* A limit on file sizes would come as SIGXFSZ: look before asking. */
static int opc_reserve(int fd, uint64_t offset, uint64_t bytes) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
        && offset + bytes > limit.rlim_cur)
        return EFBIG;
    int error;
    do error = posix_fallocate(fd, (off_t)offset, (off_t)bytes);
    while (error == EINTR);
    return error;
}

/* exec keeps pid and start time, dlopen may load twice: the sequence makes
 * the name free. */
static int opc_create(struct opc_image *image, uint32_t *sequence) {
    const char *slash = strrchr(image->path, '/');
    for (*sequence = 0; *sequence < 1000000; ++*sequence) {
        snprintf(image->file, sizeof image->file, "%s/%d-%llu-%u-%.200s.opcraw", opc_process->directory,
                 (int)getpid(), (unsigned long long)opc_process->process_start_ns, *sequence,
                 slash ? slash + 1 : image->path);
        int fd = open(image->file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

static uint64_t opc_table_capacity(uint64_t cells) {
    uint64_t capacity = 1024; /* return addresses, not frames: half as many as counters is plenty */
    while (capacity < cells / 2) capacity *= 2;
    return capacity;
}

/* Fills in everything but the magic; returns the size of the file. */
static uint64_t opc_plan(const struct opc_image *image, bool forked, struct opc_header *plan) {
    plan->version = OPC_VERSION;
    plan->header_bytes = OPC_HEADER_BYTES;
    plan->pid = (uint32_t)getpid();
    plan->parent_pid = (uint32_t)getppid();
    plan->process_start_ns = opc_process->process_start_ns;
    plan->program_start_ns = opc_process->program_start_ns;
    plan->flags = image->is_private ? OPC_FLAG_PRIVATE : 0;
    plan->image_bias = image->bias;
    plan->image_start = image->start;
    plan->image_end = image->end;
    plan->section_start = (uint64_t)(uintptr_t)image->section;
    plan->counters_bytes = image->section_bytes;
    plan->left_offset = OPC_HEADER_BYTES;
    plan->left_capacity = opc_table_capacity(image->section_bytes / 8);
    plan->modules_offset = plan->left_offset + plan->left_capacity * sizeof(struct opc_left);
    plan->modules_count = (uint64_t)(__stop_opc_dsc - __start_opc_dsc);
    uint64_t at = opc_round(plan->modules_offset + plan->modules_count * sizeof(struct opc_module));
    if (forked) plan->baseline_offset = at;
    plan->counters_offset = at + (forked ? opc_round(image->section_bytes) : 0);
    plan->slabs_offset = plan->counters_offset + opc_round(image->section_bytes);
    plan->slab_stride = opc_round(image->section_bytes);
    plan->build_id_bytes = image->build_id_bytes;
    memcpy(plan->build_id, image->build_id, sizeof plan->build_id);
    memcpy(plan->image_path, image->path, sizeof plan->image_path);
    return plan->slabs_offset;
}

/* The baseline is taken from the copy and not from the section: until it is
 * mapped anew, the parent goes on counting there. */
static void opc_fill(const struct opc_image *image, char *file) {
    const struct opc_header *plan = (const void *)file;
    struct opc_module *modules = (void *)(file + plan->modules_offset);
    for (uint64_t i = 0; i < plan->modules_count; i++) {
        const struct opc_descriptor *descriptor = &__start_opc_dsc[i];
        memcpy(modules[i].hash, descriptor->map_hash, 16);
        modules[i].offset = (uint64_t)((char *)descriptor->counters - image->section);
        modules[i].cells = descriptor->count;
    }
    memcpy(file + plan->counters_offset, image->section, image->section_bytes);
    if (plan->baseline_offset)
        memcpy(file + plan->baseline_offset, file + plan->counters_offset, image->section_bytes);
}

static void *opc_map(struct opc_image *image, int fd, struct opc_header *plan, uint64_t bytes) {
    char *file = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (file == MAP_FAILED) return NULL;
    memcpy(file, plan, sizeof *plan);
    opc_fill(image, file);
    if (!image->is_private
        && mmap(image->section, image->section_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                (off_t)plan->counters_offset)
               == MAP_FAILED) {
        munmap(file, bytes);
        return NULL;
    }
    memcpy(file, OPC_MAGIC, 8);
    return file;
}

/* Makes the image's file and counts into it from here on; signals are
 * blocked by the caller. False: said so, and no file remains. */
static bool opc_open(struct opc_image *image, bool forked) {
    struct opc_header plan = {0};
    uint64_t bytes = opc_plan(image, forked, &plan);
    int fd = opc_create(image, &plan.sequence);
    if (fd < 0) {
        opc_complain("create a file for", 0, errno);
        return false;
    }
    int error = opc_reserve(fd, 0, bytes);
    void *file = error ? NULL : opc_map(image, fd, &plan, bytes);
    if (!error && !file) error = errno;
    close(fd);
    if (!file) {
        unlink(image->file);
        opc_complain("reserve", bytes, error);
        return false;
    }
    image->mapped_bytes = bytes;
    image->pid = getpid();
    __atomic_store_n(&image->header, file, __ATOMIC_RELEASE);
    return true;
}

/* A child without a file must not go on counting into its parent's. */
static void opc_detach(struct opc_image *image) {
    if (image->is_private) return;
    void *copy = opc_memory(image->section_bytes);
    if (!copy) return;
    memcpy(copy, image->section, image->section_bytes);
    mremap(copy, image->section_bytes, image->section_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, image->section);
}

/* glibc from 2.32 on: false as soon as any thread was made, by whomever. */
extern __attribute__((weak)) char __libc_single_threaded;

/* What is known about the whole process only now. */
static uint64_t opc_end_flags(void) {
    uint64_t flags = &__libc_single_threaded && !__libc_single_threaded ? OPC_FLAG_THREADS_SEEN : 0;
    if (opc_others_may_count()) flags |= OPC_FLAG_THREADS_RUNNING;
    for (struct opc_thread *thread = opc_process->threads; thread; thread = thread->next)
        if (opc_is_unsettled(thread)) flags |= OPC_FLAG_UNSETTLED_JUMP;
    return flags;
}

/* The first end that a program comes to is its end, but for abort, which may
 * cut short any other. */
static void opc_finish_image(struct opc_image *image, uint32_t end, uint64_t flags) {
    struct opc_header *header = image->header;
    if (!header) return;
    if (image->pid != getpid()) {
        __atomic_fetch_or(&header->flags, OPC_FLAG_CLONED, __ATOMIC_RELAXED);
        return;
    }
    if (image->is_shared && (flags | header->flags) & OPC_FLAG_THREADS_SEEN) flags |= OPC_FLAG_THREADS_SHARED;
    __atomic_fetch_or(&header->flags, flags, __ATOMIC_RELAXED);
    if (image->is_private)
        memcpy((char *)header + header->counters_offset, image->section, image->section_bytes);
    if (header->end_state == OPC_END_NONE || end == OPC_END_ABORT) header->end_state = end;
}

static void opc_finish(uint32_t end) {
    if (!opc_process) return;
    int error = errno;
    uint64_t flags = opc_end_flags();
    for (struct opc_image *image = opc_process->images; image; image = image->next)
        opc_finish_image(image, end, flags);
    errno = error;
}
