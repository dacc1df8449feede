/* Nothing: what a build is when the program adds nothing to it. The benchmark
 * subtracts its text, so that a fixed run-time library does not pass for
 * growth of the code. */
int main(void) { return 0; }
