// std::thread, one that throws inside, thread_local with a destructor.
// flags --threads --cflag -pthread
// expect work(int) calls=6
// expect Local::~Local() calls=6
// expect thrower(int) calls=6000
#include <cstdio>
#include <thread>
#include <vector>
static std::vector<int> sums(6);
struct Local { int value = 0; ~Local() { value = 0; } };
static thread_local Local local;
__attribute__((noinline)) static void thrower(int i) { if (i % 10 == 0) throw i; }
__attribute__((noinline)) static void work(int which) {
    for (int i = 0; i < 1000; i++) try {
        thrower(i); // 6000 x 2
        local.value++; // 5400 x 5
    } catch (int) {
        local.value += 2; // 600 x 5
    }
    sums[which] = local.value;
}
int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; i++) threads.emplace_back(work, i);
    for (auto &thread : threads) thread.join();
    std::printf("%d\n", sums[0] + sums[5]);
}
