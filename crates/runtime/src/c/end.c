/* What lies behind the last counter?
 *
 * Linked behind every counted module: starts on a page of its own, so data
 * that follows shares a page with this pad and not with counters. */
#include <stdint.h>

__attribute__((section("opc_cnt"), aligned(65536), used)) uint64_t opc_pad_end[8] = {0};
