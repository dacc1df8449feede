// An inline function whose allocation the optimiser takes away: here it may throw, there it cannot.
__attribute__((noinline)) inline int maybe(int n) {
    int *number = new int(n);
    int result = *number + 1;
    delete number;
    return result;
}
