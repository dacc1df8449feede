/* What lies before the first counter?
 *
 * Linked before every counted module: its alignment lets the section of
 * counters begin on a page of its own, whatever the page size (at most
 * 64 KiB). With end.c it keeps the neighbours' data off the pages that are
 * mapped to a file, where a child of fork would see its parent's writes. */
#include <stdint.h>

__attribute__((section("opc_cnt"), aligned(65536), used)) uint64_t opc_pad_begin[8] = {0};
