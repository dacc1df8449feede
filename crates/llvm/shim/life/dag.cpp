// The graph of each block as selection works on it.
//
// LLVM has no place to hang this on, so the linker leads calls of the phases
// here first (`--wrap`; the names stand in `crates/llvm/hooks.txt`). Around each
// phase: the graph before it is what the one before left, so only what stands
// behind is told; what the target wants done with an operation is told before
// operations are legalised, and how a node was selected when it is.
#include "life/recorder.h"

#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/SelectionDAG.h"
#include "llvm/CodeGen/SelectionDAGISel.h"
#include "llvm/CodeGen/SelectionDAGNodes.h"
#include "llvm/CodeGen/TargetLowering.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace opcost::life;

namespace {

// Addresses of programs have 47 bits (48 on aarch64); results are few.
constexpr unsigned kResultShift = 48;

uint64_t node_id(const SDNode *node) { return reinterpret_cast<uintptr_t>(node); }

// Which result of a node is worked on stands above its address.
uint64_t input_id(const SDValue &operand) {
  return node_id(operand.getNode()) | uint64_t(operand.getResNo()) << kResultShift;
}

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
  // A block is named with its address, which is another in every run.
  if (isa<BasicBlockSDNode>(node)) {
    size_t address = rest.find(" 0x");
    if (address != StringRef::npos) {
      out << rest.take_front(address) << ">";
      return text;
    }
  }
  out << rest;
  return text;
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
  if (!active || !has_chosen(graph)) return;
  // A graph is built for each block anew.
  if (StringRef(phase) == "built") known = State();
  Change change(known, active->is_whole());
  std::vector<const SDNode *> news;
  for (const SDNode &node : graph.allnodes()) {
    if (!active->is_whole() && !active->is_chosen(node.getDebugLoc())) continue;
    active->looked++;
    if (change.is_news(&node, hash_of(node)) || active->is_whole()) news.push_back(&node);
  }
  std::vector<const void *> gone = change.gone();
  if (!change.has_news() && StringRef(phase) != "built") return;
  const Sink &sink = active->sink();
  std::string function = graph.getMachineFunction().getName().str();
  sink.state(sink.context, kDag, phase, function.c_str());
  std::string where = block ? ("bb." + Twine(block->getNumber())).str() : "";
  for (const SDNode *node : news) {
    active->printed++;
    std::vector<uint64_t> inputs;
    for (const SDValue &operand : node->op_values()) inputs.push_back(input_id(operand));
    std::string operation = node->getOperationName(&graph), text = text_of(*node, graph);
    uint32_t number = Recorder::number_of(node->getDebugLoc());
    Item item = {node_id(node), active->numbers().teller(number), active->is_chosen(node->getDebugLoc()),
                 active->numbers().certainty(number), operation.c_str(), text.c_str(), where.c_str(), inputs.data(),
                 uint32_t(inputs.size())};
    sink.item(sink.context, &item);
  }
  for (const void *thing : gone) sink.gone(sink.context, reinterpret_cast<uintptr_t>(thing));
}

void say(const SelectionDAG &graph, const char *phase, const SDNode &node, const std::string &why) {
  const Sink &sink = active->sink();
  sink.reason(sink.context, kDag, phase, graph.getMachineFunction().getName().str().c_str(),
              active->told(node.getDebugLoc()), why.c_str());
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

// What the target wants done with the operations that are followed.
void say_actions(SelectionDAG &graph) {
  if (!active) return;
  const TargetLowering &target = graph.getTargetLoweringInfo();
  for (const SDNode &node : graph.allnodes()) {
    if (!active->is_chosen(node.getDebugLoc()) || node.isMachineOpcode() || node.isTargetOpcode()) continue;
    EVT type = node.getValueType(0);
    if (!type.isSimple() || type == MVT::Other || type == MVT::Glue) continue;
    TargetLowering::LegalizeAction action = target.getOperationAction(node.getOpcode(), type);
    if (action == TargetLowering::Legal) continue;
    say(graph, "legalise operations", node,
        node.getOperationName(&graph) + " " + type.getEVTString() + ": " + name(action));
  }
}


} // namespace

#define OPCOST_COMBINE _ZN4llvm12SelectionDAG7CombineENS_12CombineLevelEPNS_14BatchAAResultsENS_15CodeGenOptLevelE
#define OPCOST_TYPES _ZN4llvm12SelectionDAG13LegalizeTypesEv
#define OPCOST_VECTORS _ZN4llvm12SelectionDAG15LegalizeVectorsEv
#define OPCOST_OPERATIONS _ZN4llvm12SelectionDAG8LegalizeEv
#define OPCOST_SCHEDULE _ZN4llvm18ScheduleDAGSDNodes3RunEPNS_12SelectionDAGEPNS_17MachineBasicBlockE
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

void WRAP(OPCOST_COMBINE)(SelectionDAG *graph, CombineLevel level, void *aliases, CodeGenOptLevel optimise) {
  passed[kCombine]++;
  static const char *const kNames[] = {"combine 1", "combine 2, behind types", "combine 3, behind vectors",
                                       "combine 4, behind operations"};
  if (level == BeforeLegalizeTypes) tell(*graph, "built");
  REAL(OPCOST_COMBINE)(graph, level, aliases, optimise);
  tell(*graph, kNames[level]);
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
  say_actions(*graph);
  REAL(OPCOST_OPERATIONS)(graph);
  tell(*graph, "legalise operations");
}

void WRAP(OPCOST_TABLE)(void *selector, SDNode *node, const uint8_t *table, unsigned size) {
  passed[kTable]++;
  if (active && active->is_chosen(node->getDebugLoc())) {
    SelectionDAG *graph = static_cast<SelectionDAGISel *>(selector)->CurDAG;
    say(*graph, "select", *node, node->getOperationName(graph) + ": by the table of patterns");
  }
  REAL(OPCOST_TABLE)(selector, node, table, size);
}

void WRAP(OPCOST_SCHEDULE)(void *scheduler, SelectionDAG *graph, MachineBasicBlock *block) {
  passed[kSchedule]++;
  tell(*graph, "select", block);
  REAL(OPCOST_SCHEDULE)(scheduler, graph, block);
}

} // extern "C"
