/* When does counting into the file begin and end?
 *
 * At the first constructor and the last destructor of the image. Counts made
 * before (by constructors of libraries that call back) are copied into the
 * file; counts made after go to the mapped section all the same. Without
 * OPCOST_RAW in the environment nothing is done at all. */

/* Priorities below 101 are kept for the implementation: that is us. */
__attribute__((constructor(0))) static void opc_start(void) {
    struct opc_image *image = opc_join();
    if (!image) return;
    int error = errno;
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    opc_find_section(image);
    if (opc_open(image, false)) {
        opc_own = image;
        opc_watch_abort();
        pthread_atfork(NULL, NULL, opc_in_child);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
}

/* When exit was called by code that is not counted, frames of this image may
 * be on the stack. dlclose comes here too, but with none of them. */
__attribute__((destructor(0))) static void opc_end(void) {
    struct opc_image *image = opc_own;
    if (!image || !image->header) return;
    struct opc_thread *thread = opc_this_thread();
    if (thread && !thread->noted.cfa && image->pid == getpid() && !opc_is_stack_clear(image)) opc_note_stack(thread, image, 1);
    opc_finish_image(image, OPC_END_EXIT, opc_end_flags());
    if (image->is_main) return; /* libraries' destructors may still come to an end of their own */
    opc_unwatch_abort();
    opc_slabs_end();
    opc_leave(image);
}
