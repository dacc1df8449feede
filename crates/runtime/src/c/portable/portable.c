// All of the portable library: one unit.
#include "library.h"

#include "base.h"

#include "text.c"

#include "sort.c"

#include "portable.h"

#include "memory.c"

#include "stream.c"

#include "decimal.c"

#include "print.c"

#include "scan.c"

#include "character.c"

#include "wide.c"

#include "math.c"

#include "complex.c"

#include "ending.c"

#define CXX(name) name
#include "containers.c"

#include "cxx.c"
