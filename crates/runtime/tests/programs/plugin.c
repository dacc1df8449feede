/* A counted shared object: calls back into the program that loaded it. */
#include "counted.h"

void plugin(void (*back)(void)) { COUNT(1); back(); STAY; }
