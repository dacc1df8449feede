/* fork, vfork and exec, from inside a call. */
#include "counted.h"

NOINLINE void work(int times) { for (int i = 0; i < times; i++) COUNT(1); STAY; }

NOINLINE pid_t forks(void) { COUNT(2); pid_t pid = fork(); STAY; return pid; }
NOINLINE pid_t vforks(void) { COUNT(2); pid_t pid = opc_wrap_vfork(); STAY; return pid; }
NOINLINE void execs(const char *path) {
    COUNT(3);
    if (opc_wrap_execl(path, path, "again", NULL) < 0) perror("exec");
    COUNT(4);
    STAY;
}

int main(int count, char **arguments) {
    COUNT(0);
    (void)count;
    const char *way = arguments[1];
    int status = 0;
    if (!strcmp(way, "fork")) {
        work(100);
        pid_t pid = forks();
        work(pid ? 10 : 3);
        if (!pid) return 0;
        waitpid(pid, &status, 0);
    }
    if (!strcmp(way, "vfork")) {
        pid_t pid = vforks();
        if (!pid) { execs(arguments[0]); opc_wrap__exit(9); }
        waitpid(pid, &status, 0);
    }
    if (!strcmp(way, "exec")) execs(arguments[0]);
    if (!strcmp(way, "exec-fails")) execs("/nowhere");
    if (!strcmp(way, "again")) work(7);
    return 0;
}
