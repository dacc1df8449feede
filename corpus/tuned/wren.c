/* The Wren virtual machine at work: compiles a script and runs it.
 *
 *     wren SCRIPT ROUNDS
 *
 * The script sees the number of rounds as the variable Rounds.
 */
#include "wren.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void on_write(WrenVM *vm, const char *text) {
    (void)vm;
    fputs(text, stdout);
}

static void on_error(WrenVM *vm, WrenErrorType type, const char *module, int line, const char *message) {
    (void)vm;
    (void)type;
    fprintf(stderr, "wren driver: %s:%d: %s\n", module ? module : "", line, message);
}

static char *read_script(const char *path, const char *rounds) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = size < 0 ? NULL : malloc((size_t)size + 64);
    if (text) {
        int head = snprintf(text, 64, "var Rounds = %.20s\n", rounds);
        size_t done = fread(text + head, 1, (size_t)size, file);
        text[(size_t)head + done] = 0;
    }
    fclose(file);
    return text;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    char *script = read_script(argv[1], argv[2]);
    if (!script) {
        perror(argv[1]);
        return 1;
    }
    WrenConfiguration configuration;
    wrenInitConfiguration(&configuration);
    configuration.writeFn = on_write;
    configuration.errorFn = on_error;
    WrenVM *vm = wrenNewVM(&configuration);
    WrenInterpretResult result = wrenInterpret(vm, script);
    wrenFreeVM(vm);
    free(script);
    return result == WREN_RESULT_SUCCESS ? 0 : 1;
}
