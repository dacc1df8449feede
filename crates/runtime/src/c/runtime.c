/* All questions of the runtime in one object. */
/* A section of its own, so that a walk of the stack knows our frames. */
#pragma clang section text = "opc_text"

#include "opcost.h"

#include "process.c"
#include "left.c"
#include "jump.c"
#include "wrap.c"
#include "threads.c"
#include "others.c"
#include "mapping.c"
#include "fork.c"
#include "start.c"
