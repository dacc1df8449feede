// The graph of each block as selection works on it.
//
// LLVM has no place to hang this on, so the linker leads calls of the phases
// here first (`--wrap`; the names stand in `crates/llvm/hooks.txt`). Around each
// phase: the graph before it is what the one before left, so only what stands
// behind is told. A listener of LLVM's hears of each node that comes and goes,
// and a hook of each that takes the place of another. So a reason is said of one
// node: what the target wants done with an operation, of the node that went for
// it; how a node was selected, of the node that it is now, or of the one that does
// the work if that only takes a part of a register. Where it is none of the
// machine's, or stood there before, it is said of what went. What went in selection
// and nothing took its place is part of what read it (a load that an addition
// does itself): that gets a number that stands for both.
#include "life/by_hand.h"
#include "life/recorder.h"

#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/SelectionDAG.h"
#include "llvm/CodeGen/SelectionDAGISel.h"
#include "llvm/CodeGen/SelectionDAGNodes.h"
#include "llvm/CodeGen/TargetLowering.h"
#include "llvm/CodeGen/TargetOpcodes.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace opcost::life;

namespace {

// Serial numbers are far below; results are few.
constexpr unsigned kResultShift = 48;

uint64_t node_id(const SDNode *node) { return active->identities().of(node); }

// Which result of a node is worked on stands above its number.
uint64_t input_id(const SDValue &operand) {
  return node_id(operand.getNode()) | uint64_t(operand.getResNo()) << kResultShift;
}

// What comes and goes in the graph at hand.
class Watch : public SelectionDAG::DAGUpdateListener {
public:
  explicit Watch(SelectionDAG &graph) : DAGUpdateListener(graph) {
    active->identities().forget_graph();
    for (const SDNode &node : graph.allnodes()) node_id(&node);
  }

  // It may have the place of one that went without a word.
  void NodeInserted(SDNode *node) override {
    active->identities().forget(node);
    node_id(node);
  }
  void NodeDeleted(SDNode *node, SDNode *same) override {
    if (same) replaced(node, same);
    active->identities().forget(node);
  }

  void replaced(const SDNode *node, const SDNode *by) {
    if (node != by) replacements[node_id(node)] = {by, node_id(by)};
  }

  // What stands for a node since the phase began, or null if that is gone.
  const SDNode *successor(uint64_t node) const {
    for (auto known = replacements.find(node); known != replacements.end(); known = replacements.find(known->second.identity))
      if (active->identities().known(known->second.node) == known->second.identity) return known->second.node;
    return nullptr;
  }
  bool is_replaced(uint64_t node) const { return replacements.count(node); }
  void begin_phase() { replacements.clear(); }

  // Selection begins: who reads what.
  void note_readers(const SelectionDAG &graph);
  // Selection is over: what went without an successor is part of what read it.
  void fold(SelectionDAG &graph);
  // Whether selection is followed, and of what it is known how it was selected.
  bool follows() const { return !reads.empty(); }
  void tabled(uint64_t node, uint64_t made, const std::string &words) {
    asked.insert(node);
    told.insert(made);
    if (!words.empty()) made_of[made] = words;
  }

private:
  struct Read {
    uint32_t number = 0;
    std::string name;
    std::vector<uint64_t> readers, operands;
  };
  using Alive = DenseMap<uint64_t, SDNode *>;
  void takers(uint64_t node, const Alive &alive, SmallPtrSetImpl<SDNode *> &taken, DenseSet<uint64_t> &seen,
              SmallVectorImpl<SDNode *> &found) const;
  void swept(const SelectionDAG &graph, const Alive &alive) const;
  void untabled(const SelectionDAG &graph, uint64_t node, const Read &read, const SDNode *alive);

  MapVector<uint64_t, Read> reads;
  DenseSet<uint64_t> asked, told;
  MapVector<uint64_t, std::string> made_of;
  uint64_t newest = 0;
  struct Replacement {
    const SDNode *node;
    uint64_t identity;
  };
  DenseMap<uint64_t, Replacement> replacements;
};

// From when a graph is built until it is scheduled, while somebody records.
std::unique_ptr<Watch> watch;

std::string text_of(const SDNode &node, const SelectionDAG &graph) {
  std::string text;
  raw_string_ostream out(text);
  out << node.getOperationName(&graph) << " (";
  for (unsigned i = 0; i < node.getNumValues(); i++) out << (i ? ", " : "") << node.getValueType(i).getEVTString();
  out << ")";
  // Memory is named by metadata, whose numbers take a walk over the module.
  if (isa<MemSDNode>(node) || isa<MachineSDNode>(node)) return text;
  std::string details;
  raw_string_ostream more(details);
  node.print_details(more, &graph);
  // The debug location is our number.
  StringRef rest(details);
  rest = rest.take_front(rest.find(", opcost:"));
  rest = rest.take_front(rest.find(" opcost:"));
  // Blocks, values and metadata are named by addresses, which are others in every run.
  size_t address = rest.find("0x");
  if (address != StringRef::npos && (isa<BasicBlockSDNode>(node) || isa<SrcValueSDNode>(node) || isa<MDNodeSDNode>(node)))
    out << rest.take_front(address).rtrim() << ">";
  else
    out << rest;
  return text;
}

void say(const SelectionDAG &graph, const char *phase, uint64_t node, const std::string &why) {
  const Sink &sink = active->sink();
  sink.reason(sink.context, kDag, phase, graph.getMachineFunction().getName().str().c_str(), node, why.c_str());
}

constexpr const char *kByHand = ": without the table of patterns";

// Of what went in selection, and nothing was made for it.
std::string took_its_place(const SelectionDAG &graph, const SDNode *now, bool is_operand) {
  return ", " + (is_operand ? std::string("its operand") : now->getOperationName(&graph)) + " took its place";
}

// What does the work of a pattern, if a part of a register is all that its root
// takes; `newest` is the last node that was there before the pattern.
const SDNode *worker_of(const SDNode *root, uint64_t newest);

void Watch::note_readers(const SelectionDAG &graph) {
  reads.clear();
  asked.clear();
  told.clear();
  made_of.clear();
  newest = active->identities().last();
  for (const SDNode &node : graph.allnodes()) {
    Read &read = reads[node_id(&node)];
    read.number = Recorder::number_of(node.getDebugLoc());
    if (active->numbers().is_chosen(read.number)) {
      read.name = node.getOperationName(&graph);
      for (const SDValue &operand : node.op_values()) read.operands.push_back(node_id(operand.getNode()));
    }
    for (const SDUse &use : node.uses())
      if (use.getResNo() == 0 && node.getValueType(0) != MVT::Other) read.readers.push_back(node_id(use.getUser()));
  }
}

// What became of the readers of a node, and of theirs if these went, too.
void Watch::takers(uint64_t node, const Alive &alive, SmallPtrSetImpl<SDNode *> &taken, DenseSet<uint64_t> &seen,
                   SmallVectorImpl<SDNode *> &found) const {
  auto read = reads.find(node);
  if (read == reads.end()) return;
  for (uint64_t reader : read->second.readers) {
    if (!seen.insert(reader).second) continue;
    SDNode *now = alive.lookup(reader);
    if (const SDNode *other = now ? nullptr : successor(reader)) now = alive.lookup(active->identities().known(other));
    if (!now && !is_replaced(reader)) takers(reader, alive, taken, seen, found);
    if (!now || !now->isMachineOpcode()) continue;
    now = const_cast<SDNode *>(worker_of(now, newest));
    if (taken.insert(now).second) found.push_back(now);
  }
}

// A target selects some operations in C++ of its own, or lets an operand take their place.
void Watch::untabled(const SelectionDAG &graph, uint64_t node, const Read &read, const SDNode *alive) {
  std::string words = read.name + kByHand;
  if (alive) {
    if (alive->isMachineOpcode() && told.insert(node).second) say(graph, "select", node, words);
    return;
  }
  const SDNode *now = successor(node);
  if (!now) return;
  if (uint64_t first = replacements.lookup(node).identity; first <= newest) {
    say(graph, "select", node, words + took_its_place(graph, now, is_contained(read.operands, first)));
  } else if (!now->isMachineOpcode()) {
    say(graph, "select", node, words + took_its_place(graph, now, false));
  } else {
    uint64_t made = node_id(worker_of(now, newest));
    if (made > newest && told.insert(made).second) say(graph, "select", made, words);
  }
}

// What a target makes of its own nodes once all are selected: one that a neighbour's work covers goes.
void Watch::swept(const SelectionDAG &graph, const Alive &alive) const {
  for (const auto &[node, words] : made_of) {
    if (alive.count(node)) continue;
    const SDNode *now = successor(node);
    say(graph, "select", node, words + (now ? took_its_place(graph, now, false) : ", and nothing is left of it"));
  }
}

void Watch::fold(SelectionDAG &graph) {
  Alive alive;
  for (SDNode &node : graph.allnodes()) alive[node_id(&node)] = &node;
  for (auto &[node, read] : reads)
    if (active->numbers().is_chosen(read.number) && !asked.count(node))
      untabled(graph, node, read, alive.lookup(node));
  swept(graph, alive);
  for (auto &[node, read] : reads) {
    if (alive.count(node) || is_replaced(node) || !active->numbers().is_chosen(read.number)) continue;
    SmallPtrSet<SDNode *, 4> taken;
    DenseSet<uint64_t> seen;
    SmallVector<SDNode *, 4> found;
    takers(node, alive, taken, seen, found);
    if (!found.empty()) say(graph, "select", node, "folded into " + found.front()->getOperationName(&graph));
    for (SDNode *taker : found) {
      DILocation *own = taker->getDebugLoc();
      if (!own) continue;
      uint32_t number = active->numbers().fold(own->getLine(), read.number);
      if (number == own->getLine()) continue;
      taker->setDebugLoc(DILocation::get(own->getContext(), number, 0, own->getScope(), own->getInlinedAt()));
    }
  }
}

bool has_chosen(const SelectionDAG &graph) {
  for (const SDNode &node : graph.allnodes())
    if (active->is_chosen(node.getDebugLoc())) return true;
  return false;
}

// Of what its text says; what it works on is told of whole graphs only.
uint64_t hash_of(const SDNode &node) {
  uint64_t hash = hash_combine(node.getOpcode(), node.getVTList().VTs, node.getNumValues(),
                               Recorder::number_of(node.getDebugLoc()), node.isMachineOpcode());
  if (node.getNumOperands() > 0) return hash;
  FoldingSetNodeID details;
  node.Profile(details);
  return hash_combine(hash, details.ComputeHash());
}

// What the last phase left of the graph at hand.
State known;

void tell(const SelectionDAG &graph, const char *phase, MachineBasicBlock *block = nullptr) {
  if (StringRef(phase) == "built") graphs_of_function++;
  if (watch) watch->begin_phase();
  if (!active || !has_chosen(graph)) return;
  // A graph is built for each block anew.
  if (StringRef(phase) == "built") known = State();
  Change change(known, active->is_whole());
  std::vector<const SDNode *> changes;
  for (const SDNode &node : graph.allnodes()) {
    if (!active->is_whole() && !active->is_chosen(node.getDebugLoc())) continue;
    active->looked++;
    if (change.of(node_id(&node), hash_of(node)) != ChangeKind::kNone || active->is_whole()) changes.push_back(&node);
  }
  std::vector<uint64_t> gone = change.gone();
  if (!change.has_changes() && StringRef(phase) != "built") return;
  const Sink &sink = active->sink();
  std::string function = graph.getMachineFunction().getName().str();
  sink.state(sink.context, kDag, phase, function.c_str());
  std::string where = block ? ("bb." + Twine(block->getNumber())).str() : "";
  for (const SDNode *node : changes) {
    active->printed++;
    std::vector<uint64_t> inputs;
    for (const SDValue &operand : node->op_values()) inputs.push_back(input_id(operand));
    std::string operation = node->getOperationName(&graph), text = text_of(*node, graph);
    uint32_t number = Recorder::number_of(node->getDebugLoc());
    Item item = {node_id(node), active->numbers().representative(number), active->is_chosen(node->getDebugLoc()),
                 active->numbers().certainty(number), operation.c_str(), text.c_str(), where.c_str(), inputs.data(),
                 uint32_t(inputs.size())};
    sink.item(sink.context, &item);
  }
  for (uint64_t thing : gone) sink.gone(sink.context, thing);
}

const char *name(TargetLowering::LegalizeAction action) {
  switch (action) {
  case TargetLowering::Legal: return "Legal";
  case TargetLowering::Promote: return "Promote";
  case TargetLowering::Expand: return "Expand";
  case TargetLowering::LibCall: return "LibCall";
  case TargetLowering::Custom: return "Custom";
  }
  return "?";
}

// The type by which the legaliser asks for a node's action, or none where it
// goes by more than a type (conditions, extending loads).
std::optional<EVT> asked_type(const SDNode &node) {
  switch (node.getOpcode()) {
  case ISD::SETCC:
  case ISD::SELECT_CC:
  case ISD::BR_CC:
  case ISD::STRICT_FSETCC:
  case ISD::STRICT_FSETCCS:
  case ISD::SETCCCARRY:
    return std::nullopt;
  case ISD::SINT_TO_FP:
  case ISD::UINT_TO_FP:
  case ISD::EXTRACT_VECTOR_ELT:
  case ISD::LROUND:
  case ISD::LLROUND:
  case ISD::LRINT:
  case ISD::LLRINT:
  case ISD::IS_FPCLASS:
    return node.getOperand(0).getValueType();
  case ISD::SIGN_EXTEND_INREG:
    return cast<VTSDNode>(node.getOperand(1))->getVT();
  default:
    if (node.getOpcode() >= ISD::VECREDUCE_FADD && node.getOpcode() <= ISD::VECREDUCE_UMIN)
      return node.getOperand(0).getValueType();
    if (isa<MemSDNode>(node) && !ISD::isNON_EXTLoad(&node)) return std::nullopt;
    return node.getValueType(0);
  }
}

const SDNode *worker_of(const SDNode *root, uint64_t newest) {
  const Identities &identities = active->identities();
  auto is_made = [&](const SDValue &operand) {
    const SDNode *node = operand.getNode();
    bool is_machine = node->isMachineOpcode() && node->getMachineOpcode() != TargetOpcode::IMPLICIT_DEF;
    return is_machine && identities.known(node) > newest;
  };
  for (;;) {
    switch (root->getMachineOpcode()) {
    case TargetOpcode::EXTRACT_SUBREG:
    case TargetOpcode::INSERT_SUBREG:
    case TargetOpcode::SUBREG_TO_REG:
    case TargetOpcode::COPY_TO_REGCLASS:
      break;
    default:
      return root;
    }
    auto made = find_if(root->op_values(), is_made);
    if (made == root->op_values().end()) return root;
    root = (*made).getNode();
  }
}

struct Wish {
  uint64_t node;
  std::string words;
};

// What the target wants done with the operations that are followed.
std::vector<Wish> wishes_of(SelectionDAG &graph) {
  std::vector<Wish> wishes;
  const TargetLowering &target = graph.getTargetLoweringInfo();
  for (SDNode &node : graph.allnodes()) {
    if (!active->is_chosen(node.getDebugLoc()) || node.isMachineOpcode() || node.isTargetOpcode()) continue;
    if (node.isStrictFPOpcode() || node.getNumValues() == 0) continue;
    std::optional<EVT> type = asked_type(node);
    if (!type || !type->isSimple() || *type == MVT::Other || *type == MVT::Glue) continue;
    TargetLowering::LegalizeAction action = target.getOperationAction(node.getOpcode(), *type);
    if (action == TargetLowering::Legal) continue;
    wishes.push_back({node_id(&node), node.getOperationName(&graph) + " " + type->getEVTString() + ": " + name(action)});
  }
  return wishes;
}

} // namespace

#define OPCOST_COMBINE _ZN4llvm12SelectionDAG7CombineENS_12CombineLevelEPNS_14BatchAAResultsENS_15CodeGenOptLevelE
#define OPCOST_TYPES _ZN4llvm12SelectionDAG13LegalizeTypesEv
#define OPCOST_VECTORS _ZN4llvm12SelectionDAG15LegalizeVectorsEv
#define OPCOST_OPERATIONS _ZN4llvm12SelectionDAG8LegalizeEv
#define OPCOST_SCHEDULE _ZN4llvm18ScheduleDAGSDNodes3RunEPNS_12SelectionDAGEPNS_17MachineBasicBlockE
#define OPCOST_REPLACE_VALUE _ZN4llvm12SelectionDAG18ReplaceAllUsesWithENS_7SDValueES1_
#define OPCOST_REPLACE_RESULTS _ZN4llvm12SelectionDAG18ReplaceAllUsesWithEPNS_6SDNodeEPKNS_7SDValueE
#define OPCOST_REPLACE_NODE _ZN4llvm12SelectionDAG18ReplaceAllUsesWithEPNS_6SDNodeES2_
#define OPCOST_REPLACE_ONE _ZN4llvm12SelectionDAG25ReplaceAllUsesOfValueWithENS_7SDValueES1_
#define OPCOST_REPLACE_SOME _ZN4llvm12SelectionDAG26ReplaceAllUsesOfValuesWithEPKNS_7SDValueES3_j
#define OPCOST_TABLE _ZN4llvm16SelectionDAGISel16SelectCodeCommonEPNS_6SDNodeEPKhj
#define OPCOST_JOIN2(a, b) a##b
#define OPCOST_JOIN(a, b) OPCOST_JOIN2(a, b)
#define OPCOST_WEAK __attribute__((weak))
#define REAL(name) OPCOST_JOIN(__real_, name)
#define WRAP(name) OPCOST_JOIN(__wrap_, name)

extern "C" {

// Weak: programs that are linked without the hooks never come here.
void REAL(OPCOST_COMBINE)(SelectionDAG *, CombineLevel, void *, CodeGenOptLevel) OPCOST_WEAK;
bool REAL(OPCOST_TYPES)(SelectionDAG *) OPCOST_WEAK;
bool REAL(OPCOST_VECTORS)(SelectionDAG *) OPCOST_WEAK;
void REAL(OPCOST_OPERATIONS)(SelectionDAG *) OPCOST_WEAK;
void REAL(OPCOST_SCHEDULE)(void *, SelectionDAG *, MachineBasicBlock *) OPCOST_WEAK;
void REAL(OPCOST_TABLE)(void *, SDNode *, const uint8_t *, unsigned) OPCOST_WEAK;
void REAL(OPCOST_REPLACE_VALUE)(SelectionDAG *, SDValue, SDValue) OPCOST_WEAK;
void REAL(OPCOST_REPLACE_RESULTS)(SelectionDAG *, SDNode *, const SDValue *) OPCOST_WEAK;
void REAL(OPCOST_REPLACE_NODE)(SelectionDAG *, SDNode *, SDNode *) OPCOST_WEAK;
void REAL(OPCOST_REPLACE_ONE)(SelectionDAG *, SDValue, SDValue) OPCOST_WEAK;
void REAL(OPCOST_REPLACE_SOME)(SelectionDAG *, const SDValue *, const SDValue *, unsigned) OPCOST_WEAK;

void WRAP(OPCOST_COMBINE)(SelectionDAG *graph, CombineLevel level, void *aliases, CodeGenOptLevel optimise) {
  passed[kCombine]++;
  static const char *const kNames[] = {"combine 1", "combine 2, behind types", "combine 3, behind vectors",
                                       "combine 4, behind operations"};
  if (level == BeforeLegalizeTypes) {
    watch.reset();
    if (active) watch = std::make_unique<Watch>(*graph);
    tell(*graph, "built");
  }
  REAL(OPCOST_COMBINE)(graph, level, aliases, optimise);
  tell(*graph, kNames[level]);
  if (watch && level == AfterLegalizeDAG && has_chosen(*graph)) watch->note_readers(*graph);
}

bool WRAP(OPCOST_TYPES)(SelectionDAG *graph) {
  passed[kTypes]++;
  bool changed = REAL(OPCOST_TYPES)(graph);
  tell(*graph, "legalise types");
  return changed;
}

bool WRAP(OPCOST_VECTORS)(SelectionDAG *graph) {
  passed[kVectors]++;
  bool changed = REAL(OPCOST_VECTORS)(graph);
  tell(*graph, "legalise vectors");
  return changed;
}

void WRAP(OPCOST_OPERATIONS)(SelectionDAG *graph) {
  passed[kOperations]++;
  std::vector<Wish> wishes;
  if (watch) wishes = wishes_of(*graph);
  REAL(OPCOST_OPERATIONS)(graph);
  // What went for another reason did not go for that.
  for (const Wish &wish : wishes)
    if (watch->is_replaced(wish.node)) say(*graph, "legalise operations", wish.node, wish.words);
  tell(*graph, "legalise operations");
}

// A node is turned into one of the machine's where it stands, or others are made
// and the last takes its place. Where one that was there does, it is named.
void WRAP(OPCOST_TABLE)(void *selector, SDNode *node, const uint8_t *table, unsigned size) {
  passed[kTable]++;
  Selected how = selected(node->getOpcode());
  if (!watch || !watch->follows() || how == Selected::kStays) return REAL(OPCOST_TABLE)(selector, node, table, size);
  SelectionDAG *graph = static_cast<SelectionDAGISel *>(selector)->CurDAG;
  const Identities &identities = active->identities();
  bool is_chosen = active->is_chosen(node->getDebugLoc());
  std::string words = is_chosen ? node->getOperationName(graph) : "";
  words += how == Selected::kByHand ? kByHand : ": by the table of patterns";
  uint64_t before = node_id(node), newest = identities.last();
  DenseSet<uint64_t> operands;
  for (const SDValue &operand : node->op_values()) operands.insert(node_id(operand.getNode()));
  REAL(OPCOST_TABLE)(selector, node, table, size);
  bool is_there = identities.known(node) == before && node->isMachineOpcode();
  const SDNode *now = is_there ? node : watch->successor(before);
  bool is_made = now && now->isMachineOpcode() && (is_there || identities.known(now) > newest);
  if (now && !is_made) words += took_its_place(*graph, now, operands.count(identities.known(now)));
  uint64_t of = is_made ? node_id(worker_of(now, newest)) : before;
  watch->tabled(before, of, is_chosen && is_made ? words : "");
  if (is_chosen) say(*graph, "select", of, words);
}

// The first result is what a node is for.
void WRAP(OPCOST_REPLACE_VALUE)(SelectionDAG *graph, SDValue from, SDValue to) {
  passed[kReplace]++;
  if (watch && from.getResNo() == 0) watch->replaced(from.getNode(), to.getNode());
  REAL(OPCOST_REPLACE_VALUE)(graph, from, to);
}

void WRAP(OPCOST_REPLACE_RESULTS)(SelectionDAG *graph, SDNode *from, const SDValue *to) {
  passed[kReplace]++;
  if (watch) watch->replaced(from, to->getNode());
  REAL(OPCOST_REPLACE_RESULTS)(graph, from, to);
}

void WRAP(OPCOST_REPLACE_NODE)(SelectionDAG *graph, SDNode *from, SDNode *to) {
  passed[kReplace]++;
  if (watch) watch->replaced(from, to);
  REAL(OPCOST_REPLACE_NODE)(graph, from, to);
}

void WRAP(OPCOST_REPLACE_ONE)(SelectionDAG *graph, SDValue from, SDValue to) {
  passed[kReplace]++;
  if (watch && from.getResNo() == 0) watch->replaced(from.getNode(), to.getNode());
  REAL(OPCOST_REPLACE_ONE)(graph, from, to);
}

void WRAP(OPCOST_REPLACE_SOME)(SelectionDAG *graph, const SDValue *from, const SDValue *to, unsigned count) {
  passed[kReplace]++;
  for (unsigned i = 0; watch && i < count; i++)
    if (from[i].getResNo() == 0) watch->replaced(from[i].getNode(), to[i].getNode());
  REAL(OPCOST_REPLACE_SOME)(graph, from, to, count);
}

void WRAP(OPCOST_SCHEDULE)(void *scheduler, SelectionDAG *graph, MachineBasicBlock *block) {
  passed[kSchedule]++;
  if (watch) watch->fold(*graph);
  tell(*graph, "select", block);
  watch.reset();
  REAL(OPCOST_SCHEDULE)(scheduler, graph, block);
}

} // extern "C"
