/* What does a child of fork count?
 *
 * Its own work only. First thing in the child, each image gets a file of its
 * own that begins with the counters as they stand (the baseline, which the
 * reader subtracts), and the section is mapped to it; the parent's file is
 * not touched again. The frames on the child's stack were entered in the
 * parent and return in the child: each is noted as left -1 times, so that
 * entries = returns + left holds in both files. */

/* Once per process, by whichever image comes first. */
static void opc_child_begins(void) {
    if (opc_process->pid == getpid()) return;
    opc_process_begins(opc_process);
    opc_process->ender = 0;
    struct opc_thread *own = opc_this_thread();
    for (struct opc_thread *thread = opc_process->threads; thread; thread = thread->next)
        if (thread != own) thread->kept_count = 0; /* its thread stayed in the parent */
    if (own) own->tid = (pid_t)syscall(SYS_gettid);
}

static void opc_in_child(void) {
    struct opc_image *image = opc_own;
    if (!image || !image->header) return;
    int error = errno;
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    struct opc_thread *thread = opc_this_thread();
    opc_child_begins();
    void *parents = image->header;
    size_t parents_bytes = image->mapped_bytes;
    __atomic_store_n(&image->header, NULL, __ATOMIC_RELEASE);
    if (opc_open(image, true)) {
        if (thread) opc_note_stack(thread, image, -1);
    } else {
        opc_detach(image);
    }
    opc_slabs_in_child(image);
    munmap(parents, parents_bytes);
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
}

/* A child of vfork runs on its parent's stack and in its memory, counters
 * included; as a child of fork it has its own. */
OPC_HIDDEN pid_t opc_wrap_vfork(void) { return fork(); }

/* The library's own ends the parent where nobody sees it, so this is done as it does it. */
OPC_HIDDEN int opc_wrap_daemon(int stays, int keeps) {
    pid_t child = fork();
    if (child < 0) return -1;
    if (child > 0) opc_wrap__exit(0);
    if (setsid() < 0) return -1;
    if (!stays && chdir("/") != 0) { /* as the library: no failure */
    }
    if (keeps) return 0;
    int null = open("/dev/null", O_RDWR);
    if (null < 0) return -1;
    for (int stream = 0; stream <= 2; stream++) dup2(null, stream);
    if (null > 2) close(null);
    return 0;
}
