// Throws through frames of other languages, which pass.ll and cleans() stand for.
#include <cstdio>
#include <cstring>
#include <pthread.h>
extern "C" {
void through(void (*)());
int opc_personality_result(int, int, void *) __attribute__((visibility("hidden")));
void throws() { throw 7; }
void ends_thread() { pthread_exit(nullptr); }
struct Guard { ~Guard() { std::puts("cleaned"); } };
void *thread(void *) { through(ends_thread); return nullptr; }
}
int main(int count, char **arguments) {
    if (count > 1) {
        pthread_t id;
        pthread_create(&id, nullptr, thread, nullptr);
        pthread_join(id, nullptr);
        return 0;
    }
    for (int i = 0; i < 5; i++)
        try { Guard guard; through(throws); } catch (int seven) { std::printf("%d\n", seven); }
}
