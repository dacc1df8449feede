void call_it(void (*function)(void));
void call_it(void (*function)(void)) { function(); }
