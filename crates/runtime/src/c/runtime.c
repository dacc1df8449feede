/* All questions of the runtime in one object. */
#include "opcost.h"

/* A section of its own, so that a walk of the stack knows our frames. */
#pragma clang section text = "opc_text"

#include "process.c"
#include "left.c"
#include "jump.c"
#include "wrap.c"
#include "threads.c"
#include "others.c"
#include "mapping.c"
#include "fork.c"
#include "start.c"
