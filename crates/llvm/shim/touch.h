// Lines of memory that functions fetch from beyond each level of the cache.
#pragma once

struct opcost_schedule_wish;
struct opcost_schedule_sink;

namespace llvm {
class Module;
}

namespace opcost {

// Tells `sink.lines` of each function and capacity.
void touch(llvm::Module &module, const opcost_schedule_wish &wish, const opcost_schedule_sink &sink);

} // namespace opcost
