// Which loads of a walk through machine code wait for a store of it?
//
// A loop that writes in one iteration what it reads in the next one waits for the store, although no
// register leads from one to the other. LLVM's simulator knows registers alone.
//
// The walk is followed with values in place of numbers: a register holds a symbol and an offset. What
// adds a constant changes the offset, a copy copies both, and all else makes a new symbol. An address is
// then a sum of symbols and a number. A load waits for the last store to the same sum. Some processors
// remember the operands of the last stores, and a load with the same operands has the value at once: no wait.
//
// Input: instructions, the order in which they run. Output: for each step the step of its store. Cost:
// the steps, times a logarithm. Limits: only operands of memory as x86 has them are understood; of
// other machines nothing waits. Two sums that are equal only in numbers, and stores that overlap a load in
// part, are not noticed. Addresses do not wrap.
#include "forward.h"

#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCSymbol.h"
#include "llvm/Support/Casting.h"
#include <array>
#include <map>

using namespace llvm;

namespace {

// Operands of an address of x86: base, scale, index, displacement, segment.
constexpr unsigned kOperands = 5;
// Stores whose operands a processor remembers.
constexpr unsigned kRemembered = 10;

struct Value {
  uint64_t symbol;
  int64_t offset;
};

// Symbols and a number, the same for the same place in memory.
using Address = std::array<int64_t, 5>;

class Follower {
public:
  Follower(const MCInstrInfo &instructions, const MCRegisterInfo &registers)
      : instructions(instructions), registers(registers) {}

  // Nothing is known of registers any more.
  void forget() { values.clear(); }

  // The address that an instruction reads or writes, before it changes registers.
  std::optional<Address> address(const MCInst &one) {
    std::optional<unsigned> at = memory(one);
    if (!at) return std::nullopt;
    const MCOperand &displacement = one.getOperand(*at + 3);
    if (!one.getOperand(*at).isReg() || !one.getOperand(*at + 2).isReg()) return std::nullopt;
    Value base = value(one.getOperand(*at).getReg()), index = value(one.getOperand(*at + 2).getReg());
    int64_t scale = one.getOperand(*at + 1).getImm(), number = 0, name = 0;
    if (displacement.isImm()) {
      number = displacement.getImm();
    } else if (!displacement.isExpr() || !named(*displacement.getExpr(), name, number)) {
      return std::nullopt;
    }
    number += base.offset + scale * index.offset;
    return Address{int64_t(base.symbol), index.symbol ? scale : 0, int64_t(index.symbol), name, number};
  }

  // The number in the base register of an address without an index. Two addresses that are the same and
  // have the same number have the same operands.
  std::optional<int64_t> base(const MCInst &one) {
    std::optional<unsigned> at = memory(one);
    if (!at || !one.getOperand(*at).isReg() || !one.getOperand(*at + 2).isReg()) return std::nullopt;
    if (one.getOperand(*at + 2).getReg()) return std::nullopt;
    return value(one.getOperand(*at).getReg()).offset;
  }

  // What an instruction does to registers.
  void step(const MCInst &one) {
    const MCInstrDesc &what = instructions.get(one.getOpcode());
    // A called function changes registers that nothing names.
    if (what.isCall()) return forget();
    std::optional<Value> known = result(one);
    for (unsigned at = 0; at < what.getNumDefs(); at++)
      if (one.getOperand(at).isReg()) set(one.getOperand(at).getReg());
    for (MCPhysReg implicit : what.implicit_defs()) set(implicit);
    if (known) values[widest(one.getOperand(0).getReg())] = *known;
  }

private:
  // Where the operands of an address begin.
  std::optional<unsigned> memory(const MCInst &one) const {
    const MCInstrDesc &what = instructions.get(one.getOpcode());
    if (!what.mayLoad() && !what.mayStore()) return std::nullopt;
    return operands(one, what);
  }

  static std::optional<unsigned> operands(const MCInst &one, const MCInstrDesc &what) {
    ArrayRef<MCOperandInfo> all = what.operands();
    for (unsigned at = 0; at + kOperands <= all.size() && at + kOperands <= one.getNumOperands(); at++)
      if (all[at].OperandType == MCOI::OPERAND_MEMORY) return at;
    return std::nullopt;
  }

  // The first register of a function's code that has no value yet gets a symbol of its own.
  Value value(MCRegister one) {
    if (!one) return {0, 0};
    auto [found, is_new] = values.try_emplace(widest(one), Value{next, 0});
    if (is_new) next++;
    return found->second;
  }

  void set(MCRegister one) {
    if (one) values[widest(one)] = {next++, 0};
  }

  MCRegister widest(MCRegister one) const {
    for (MCPhysReg wider : registers.superregs(one)) one = wider;
    return one;
  }

  // A symbol of the program, and a number.
  static bool named(const MCExpr &expression, int64_t &name, int64_t &number) {
    if (const auto *one = dyn_cast<MCSymbolRefExpr>(&expression)) {
      name = int64_t(reinterpret_cast<intptr_t>(&one->getSymbol()));
      return true;
    }
    const auto *sum = dyn_cast<MCBinaryExpr>(&expression);
    const auto *right = sum ? dyn_cast<MCConstantExpr>(sum->getRHS()) : nullptr;
    if (!right || sum->getOpcode() != MCBinaryExpr::Add || !named(*sum->getLHS(), name, number)) return false;
    number += right->getValue();
    return true;
  }

  // The value of the first operand behind an instruction that adds a constant or copies.
  std::optional<Value> result(const MCInst &one) {
    StringRef name = instructions.getName(one.getOpcode());
    unsigned count = one.getNumOperands();
    auto is_register = [&](unsigned at) { return at < count && one.getOperand(at).isReg(); };
    if (!is_register(0)) return std::nullopt;
    if ((name == "MOV64rr" || name == "MOV32rr") && is_register(1)) return value(one.getOperand(1).getReg());
    int64_t sign = name.starts_with("SUB") ? -1 : 1;
    bool adds = name.starts_with("ADD64ri") || name.starts_with("SUB64ri") || name.starts_with("ADD32ri") ||
                name.starts_with("SUB32ri");
    if (adds && is_register(1) && count > 2 && one.getOperand(2).isImm())
      return moved(one.getOperand(1).getReg(), sign * one.getOperand(2).getImm());
    if ((name == "INC64r" || name == "INC32r") && is_register(1)) return moved(one.getOperand(1).getReg(), 1);
    if ((name == "DEC64r" || name == "DEC32r") && is_register(1)) return moved(one.getOperand(1).getReg(), -1);
    bool is_sum = name == "LEA64r" && count >= 1 + kOperands && is_register(1) && is_register(3) &&
                  !one.getOperand(3).getReg() && one.getOperand(4).isImm();
    if (is_sum) return moved(one.getOperand(1).getReg(), one.getOperand(4).getImm());
    return std::nullopt;
  }

  Value moved(MCRegister one, int64_t by) {
    Value before = value(one);
    return {before.symbol, before.offset + by};
  }

  const MCInstrInfo &instructions;
  const MCRegisterInfo &registers;
  std::map<MCRegister, Value> values;
  // 0 is no register.
  uint64_t next = 1;
};

} // namespace

namespace opcost {

std::vector<std::optional<unsigned>> forwards(ArrayRef<MCInst> code, ArrayRef<unsigned> order,
                                              ArrayRef<Stretch> stretches, const Machine &machine) {
  struct Store {
    unsigned step;
    std::optional<int64_t> base; // the number in its base register, if it has no index
    unsigned number;             // among all stores
  };
  std::vector<std::optional<unsigned>> found(order.size());
  std::map<Address, Store> stored;
  unsigned stores = 0;
  Follower follower(machine.instructions, machine.registers);
  for (const Stretch &stretch : stretches) {
    if (!stretch.follows) follower.forget();
    for (size_t at = stretch.begin; at < stretch.end; at++) {
      const MCInst &one = code[order[at]];
      const MCInstrDesc &what = machine.instructions.get(one.getOpcode());
      if (std::optional<Address> address = follower.address(one)) {
        std::optional<int64_t> base = follower.base(one);
        if (auto store = stored.find(*address); what.mayLoad() && store != stored.end()) {
          bool is_renamed = machine.renames_memory && base && store->second.base == base &&
                            stores - store->second.number < kRemembered;
          if (!is_renamed) found[at] = store->second.step;
        }
        if (what.mayStore()) stored[*address] = {unsigned(at), base, stores++};
      }
      follower.step(one);
    }
  }
  return found;
}

} // namespace opcost
