/* Who else counts in this process?
 *
 * Every image has its own hidden copy of the runtime, yet a stack runs
 * through several of them: exit in one image leaves frames of another, and a
 * setjmp may lie in a third. An ELF note in each image points to its
 * `opc_process`; a new copy reads the notes of all loaded images and joins
 * the process that it finds. This exports no symbol and sets no variable of
 * the environment. Cost: one pass over the program headers per image. */

OPC_HIDDEN __attribute__((used)) struct opc_process *opc_process;

#define OPC_TEXT_(x) #x
#define OPC_TEXT(x) OPC_TEXT_(x)
__asm__(".pushsection .note.opcost,\"a\",%note\n"
        ".p2align 2\n.long 7\n.long 8\n.long " OPC_TEXT(OPC_VERSION) "\n"
        ".asciz \"opcost\"\n.p2align 2\n.quad opc_process - .\n.popsection\n");

extern OPC_HIDDEN char __start_opc_text[], __stop_opc_text[];

static ssize_t opc_read_task(pid_t tid, const char *name, char *text, size_t bytes) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/%s", (int)tid, name);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) return -1;
    ssize_t length = syscall(SYS_read, fd, text, bytes - 1);
    syscall(SYS_close, fd);
    text[length < 0 ? 0 : length] = 0;
    return length;
}

static void *opc_memory(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Whether a thread has ended. A leader that ended stays in the list as a zombie until the process
 * ends, and /proc/self shows nothing of the memory any more: /proc/thread-self does. */
static bool opc_has_ended(pid_t tid) {
    char text[1024];
    if (opc_read_task(tid, "stat", text, sizeof text) < 0) return errno == ENOENT || errno == ESRCH;
    const char *state = strrchr(text, ')');
    return state && state[1] == ' ' && (state[2] == 'Z' || state[2] == 'X');
}

/* How many threads run; 0: nobody tells. Two links are the folder and itself. */
static long opc_thread_count(void) {
    struct stat threads;
    if (stat("/proc/self/task", &threads) != 0) return 0;
    bool leader_ended = (pid_t)syscall(SYS_gettid) != getpid() && opc_has_ended(getpid());
    return (long)threads.st_nlink - 2 - leader_ended;
}

struct opc_search {
    struct opc_process *found;
    struct opc_image *own; /* filled for the image this code lies in */
};

static void opc_read_note(struct opc_search *search, bool is_own, const ElfW(Nhdr) *note, const char *name,
                          const char *content) {
    if (note->n_namesz == 7 && memcmp(name, "opcost", 7) == 0 && note->n_type == OPC_VERSION) {
        int64_t distance;
        memcpy(&distance, content, 8);
        struct opc_process *process = *(struct opc_process *const *)(content + distance);
        if (process) search->found = process;
    }
    if (is_own && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0 && note->n_type == NT_GNU_BUILD_ID) {
        uint32_t bytes = note->n_descsz < 20 ? note->n_descsz : 20;
        memcpy(search->own->build_id, content, bytes);
        search->own->build_id_bytes = bytes;
    }
}

static void opc_read_notes(struct opc_search *search, bool is_own, const char *notes,
                           const ElfW(Phdr) *segment) {
    size_t align = segment->p_align == 8 ? 8 : 4, at = 0;
    while (at + sizeof(ElfW(Nhdr)) <= segment->p_memsz) {
        const ElfW(Nhdr) *note = (const void *)(notes + at);
        size_t name = at + sizeof *note;
        size_t content = (name + note->n_namesz + align - 1) & -align;
        at = (content + note->n_descsz + align - 1) & -align;
        if (content + note->n_descsz > segment->p_memsz) return;
        opc_read_note(search, is_own, note, notes + name, notes + content);
    }
}

static void opc_describe_own(struct opc_image *own, const struct dl_phdr_info *info, uintptr_t start,
                             uintptr_t end) {
    own->bias = info->dlpi_addr;
    own->start = start;
    own->end = end;
    own->runtime_start = (uintptr_t)__start_opc_text;
    own->runtime_end = (uintptr_t)__stop_opc_text;
    own->is_main = !info->dlpi_name || !info->dlpi_name[0];
    if (own->is_main) {
        ssize_t length = readlink("/proc/thread-self/exe", own->path, sizeof own->path - 1);
        own->path[length < 0 ? 0 : length] = 0;
    } else if (!realpath(info->dlpi_name, own->path)) {
        strncpy(own->path, info->dlpi_name, sizeof own->path - 1);
    }
}

static int opc_visit_image(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    struct opc_search *search = data;
    uintptr_t start = UINTPTR_MAX, end = 0, here = (uintptr_t)&opc_process;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD) continue;
        uintptr_t first = info->dlpi_addr + segment->p_vaddr, last = first + segment->p_memsz;
        if (first < start) start = first;
        if (last > end) end = last;
    }
    bool is_own = start <= here && here < end;
    if (is_own) opc_describe_own(search->own, info, start, end);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_NOTE)
            opc_read_notes(search, is_own, (const char *)(info->dlpi_addr + segment->p_vaddr), segment);
    }
    return 0;
}

/* Field 22 of /proc/self/stat: unlike a clock, it is the same for every image
 * and before and after exec, so files of one process belong together. */
static uint64_t opc_process_start(void) {
    char text[1024];
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    text[length < 0 ? 0 : length] = 0;
    const char *at = strrchr(text, ')'); /* the name before may hold anything */
    for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
    uint64_t ticks = at ? strtoull(at + 1, NULL, 10) : 0;
    return ticks * (1000000000ull / (uint64_t)getauxval(AT_CLKTCK));
}

static void opc_process_begins(struct opc_process *process) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    process->program_start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    process->process_start_ns = opc_process_start();
    process->pid = getpid();
}

/* Finds or founds the process. Null: nobody asked for counts. A setuid
 * program does not write where its caller's environment tells it to. */
static struct opc_image *opc_join(void) {
    struct opc_image *own = opc_memory(sizeof *own);
    if (!own) return NULL;
    struct opc_search search = {.own = own};
    dl_iterate_phdr(opc_visit_image, &search);
    if (!search.found) {
        const char *directory = secure_getenv("OPCOST_RAW");
        struct opc_process *process =
            directory && directory[0] && strlen(directory) < PATH_MAX ? opc_memory(sizeof *process) : NULL;
        if (!process) {
            munmap(own, sizeof *own);
            return NULL;
        }
        strcpy(process->directory, directory);
        opc_process_begins(process);
        search.found = process;
    }
    opc_process = search.found;
    struct opc_image **head = &opc_process->images;
    own->next = __atomic_load_n(head, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(head, &own->next, own, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {}
    return own;
}

/* The image is unloaded or given up: nothing is noted for it any more. */
static void opc_leave(struct opc_image *image) {
    __atomic_store_n(&image->header, NULL, __ATOMIC_RELEASE);
}

/* Says in every file of the process that something went otherwise. */
static void opc_flag(uint64_t flag) {
    if (!opc_process) return;
    for (struct opc_image *image = opc_process->images; image; image = image->next)
        if (image->header) __atomic_fetch_or(&image->header->flags, flag, __ATOMIC_RELAXED);
}

static OPC_TLS struct opc_thread *opc_known_thread;

/* Threads are recognised by address and id. No destructor frees them: the
 * code of one could be unloaded before it runs. A new thread at the address
 * of a dead one takes over its memory. */
static struct opc_thread *opc_this_thread(void) {
    if (opc_known_thread) return opc_known_thread;
    if (!opc_process) return NULL;
    pthread_t self = pthread_self();
    pid_t tid = (pid_t)syscall(SYS_gettid);
    struct opc_thread *thread = __atomic_load_n(&opc_process->threads, __ATOMIC_ACQUIRE);
    while (thread && thread->self != self) thread = thread->next;
    if (!thread) {
        thread = opc_memory(sizeof *thread);
        if (!thread) return NULL;
        thread->self = self;
        thread->tid = tid;
        struct opc_thread **head = &opc_process->threads;
        thread->next = __atomic_load_n(head, __ATOMIC_ACQUIRE);
        while (!__atomic_compare_exchange_n(head, &thread->next, thread, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE)) {}
    } else if (thread->tid != tid) {
        if (thread->kept_count && !thread->is_forced) opc_flag(OPC_FLAG_UNSETTLED_JUMP);
        thread->tid = tid;
        thread->kept_count = 0;
        thread->is_forced = false;
        thread->noted = (struct opc_frame){0};
    }
    return opc_known_thread = thread;
}
