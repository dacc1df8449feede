// Another file's code runs in threads that this one starts: both count for each thread.
// with parts/threads_shared.cpp
// expect work(int) calls=2
// expect step() calls=200000
#include <thread>
void work(int times);
int main() {
    std::thread other(work, 100000);
    work(100000);
    other.join();
}
