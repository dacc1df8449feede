// Which objects of an old frame can move into the frame of a continuation?
//
// A continuation gets the address of an object of the old frame as a live value. So the optimiser knows nothing of it: the
// object stays in memory, and may be whatever else a pointer leads to. Nobody comes back to the old frame. If no other
// pointer leads to the object, a copy that the continuation makes on arrival is as good, and becomes values.
//
// Another pointer may be a live value of its own, or have been captured: stored somewhere, or handed to a function that may
// store it. Whatever may be so stays where it is. Input: a header, and the loads of its live values. Cost: uses of objects.
// Limits: objects of fixed size, so many bytes in all, since the old frame stays and stacks have an end.
#include "frame.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace {

constexpr uint64_t kMostMoved = 16384;

// Whether a pointer into an object, other than its address, lives at a header, or may.
bool has_other_pointers(const AllocaInst &object, ArrayRef<Value *> live) {
  SmallSetVector<const Value *, 16> derived;
  derived.insert(&object);
  for (size_t i = 0; i < derived.size(); i++) {
    if (i > 0 && is_contained(live, derived[i])) return true;
    for (const Use &use : derived[i]->uses()) {
      const User *user = use.getUser();
      if (isa<GEPOperator, PHINode, SelectInst, CastInst, FreezeInst>(user)) derived.insert(user);
      auto *call = dyn_cast<CallBase>(user);
      if (!call || call->getType()->isVoidTy()) continue;
      if (!call->isArgOperand(&use) || isa<IntrinsicInst>(call)) return true;
      if (capturesAnything(call->getCaptureInfo(call->getArgOperandNo(&use)).getRetComponents())) return true;
    }
  }
  return false;
}

} // namespace

namespace opcost {

void move_objects(const Header &header, ArrayRef<Instruction *> loads) {
  uint64_t room = kMostMoved;
  for (auto [value, load] : zip(header.values, loads)) {
    auto *object = dyn_cast<AllocaInst>(value);
    if (!object || !object->isStaticAlloca() || object->isSwiftError() || object->isUsedWithInAlloca() || load->use_empty()) continue;
    const DataLayout &layout = object->getModule()->getDataLayout();
    std::optional<TypeSize> size = object->getAllocationSize(layout);
    if (!size || size->isScalable() || size->getFixedValue() > room) continue;
    if (PointerMayBeCaptured(object, /*ReturnCaptures=*/true) || has_other_pointers(*object, header.values)) continue;
    room -= size->getFixedValue();
    IRBuilder<> builder(load->getParent(), std::next(load->getIterator()));
    auto *bytes = ArrayType::get(builder.getInt8Ty(), size->getFixedValue());
    BasicBlock &entry = load->getFunction()->getEntryBlock();
    auto *own = new AllocaInst(bytes, object->getAddressSpace(), nullptr, object->getAlign(), "", entry.begin());
    load->replaceAllUsesWith(own);
    builder.CreateMemCpy(own, object->getAlign(), load, object->getAlign(), size->getFixedValue());
  }
}

} // namespace opcost
