int through_c(int depth, void (*call)(int), int value);
int through_c(int depth, void (*call)(int), int value) {
    if (depth)
        return through_c(depth - 1, call, value) + 1;
    call(value);
    return 0;
}
