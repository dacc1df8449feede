// Another file's code runs in threads, but its counters are shared: counts may be lost, so none are given.
// with parts/threads_shared.cpp
// fails: --threads
#include <thread>
void work(int times);
int main() {
    std::thread other(work, 100000);
    work(100000);
    other.join();
}
