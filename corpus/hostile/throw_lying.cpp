// A function declared noexcept, written in C, lets an exception pass: terminate, called by the personality.
// returns open
// with parts/throw_lying.c
// signal 6
// expect thrower calls=1
// expect call_it calls=2
// expect main calls=1
extern "C" void call_it(void (*)()) noexcept;
static volatile int work;
extern "C" {
static void thrower() { work++; throw 1; }
static void harmless() { work++; }
}
static void quiet() { if (work == 99) throw 2; }
int main() {
    try {
        quiet();
        call_it(harmless); // 1 x 1
        call_it(thrower); // 1 x 1
        work = 0; // 0 x 1
    } catch (int) {
        work = 0; // 0 x 1
    }
}
