// Memory of the stack.
#pragma once
#include <stddef.h>
#define alloca(size) __builtin_alloca(size)
