// goto_computed.c with a hundred targets: metered, three hundred take LLVM ten seconds to place.
// expect run calls=2
#define HUNDREDS(each) each(0)
#include "goto_computed.c"
