/* What lies behind the last word?
 *
 * Linked behind every module: starts on a page of its own, so data that follows shares a page with this pad and not
 * with words. */
#include <stdint.h>

__attribute__((section("opc_word"), aligned(4096), used)) uint64_t opc_live_end[8] = {0};
