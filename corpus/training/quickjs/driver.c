/* Runs a script of JavaScript with QuickJS, for want of a stand-alone
 * interpreter in the crate.
 *
 *     quickjs SCRIPT ROUNDS
 *
 * The script finds ROUNDS as a global variable and prints by `print(text)`.
 */
#include "../generated.h"
#include <quickjs.h>

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    check(file && fseek(file, 0, SEEK_END) == 0, path);
    long end = ftell(file);
    check(end >= 0, path);
    rewind(file);
    *size = (size_t)end;
    char *text = allocate(*size + 1); /* QuickJS wants a zero behind the text */
    check(fread(text, 1, *size, file) == *size, path);
    text[*size] = 0;
    fclose(file);
    return text;
}

static JSValue print(JSContext *context, JSValueConst self, int count, JSValueConst *arguments) {
    (void)self;
    if (count < 1) return JS_UNDEFINED;
    const char *text = JS_ToCString(context, arguments[0]);
    if (!text) return JS_EXCEPTION;
    puts(text);
    JS_FreeCString(context, text);
    return JS_UNDEFINED;
}

static void check_value(JSContext *context, JSValue value) {
    if (JS_IsException(value)) {
        const char *text = JS_ToCString(context, JS_GetException(context));
        check(0, text ? text : "run the script");
    }
    JS_FreeValue(context, value);
}

static void run_jobs(JSRuntime *runtime) {
    JSContext *context;
    int status;
    while ((status = JS_ExecutePendingJob(runtime, &context)) > 0) continue;
    check(status == 0, "run what promises left to do");
}

int main(int argc, char **argv) {
    check(argc == 3, "usage: quickjs SCRIPT ROUNDS");
    size_t size;
    char *script = read_file(argv[1], &size);
    JSRuntime *runtime = JS_NewRuntime();
    JSContext *context = JS_NewContext(runtime);
    JSValue global = JS_GetGlobalObject(context);
    JS_SetPropertyStr(context, global, "print", JS_NewCFunction(context, print, "print", 1));
    JS_SetPropertyStr(context, global, "ROUNDS", JS_NewInt32(context, atoi(argv[2])));
    JS_FreeValue(context, global);
    check_value(context, JS_Eval(context, script, size, argv[1], JS_EVAL_TYPE_GLOBAL));
    run_jobs(runtime);
    JS_RunGC(runtime);
    JS_FreeContext(context);
    JS_FreeRuntime(runtime);
    free(script);
    return 0;
}
