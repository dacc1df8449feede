// How many instructions did a stretch of a program take? A tool of valgrind that counts
// as callgrind does, and that the program itself asks: each question costs no more than
// a few instructions, where a part of callgrind's file takes milliseconds.
//
// Every instruction of a block adds to one number, right before the block may be left.
// One that repeats (`rep movsb`) counts each time, since VEX makes a loop of it.
#include <valgrind/pub_tool_basics.h>
#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcprint.h>
#include <valgrind/pub_tool_machine.h>
#include <valgrind/pub_tool_tooliface.h>
#include "counter.h"

static ULong counted;

static void add(IRSB *block, UInt instructions) {
  if (instructions == 0) return;
  IRTemp before = newIRTemp(block->tyenv, Ity_I64), after = newIRTemp(block->tyenv, Ity_I64);
  IRExpr *place = mkIRExpr_HWord((HWord)&counted);
  addStmtToIRSB(block, IRStmt_WrTmp(before, IRExpr_Load(Iend_LE, Ity_I64, place)));
  addStmtToIRSB(block, IRStmt_WrTmp(after, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(before), IRExpr_Const(IRConst_U64(instructions)))));
  addStmtToIRSB(block, IRStmt_Store(Iend_LE, place, IRExpr_RdTmp(after)));
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout, const VexGuestExtents *extents,
                        const VexArchInfo *arch, IRType guest_word, IRType host_word) {
  IRSB *out = deepCopyIRSBExceptStmts(in);
  UInt pending = 0;
  for (Int i = 0; i < in->stmts_used; i++) {
    IRStmt *one = in->stmts[i];
    if (one->tag == Ist_IMark) pending++;
    if (one->tag == Ist_Exit) add(out, pending), pending = 0;
    addStmtToIRSB(out, one);
  }
  add(out, pending);
  return out;
}

static Bool answer(ThreadId thread, UWord *arguments, UWord *result) {
  if (arguments[0] != COUNTED) return False;
  *result = counted;
  return True;
}

static void nothing(void) {}
static void finish(Int status) {}

static void before_options(void) {
  VG_(details_name)("counter");
  VG_(details_version)(NULL);
  VG_(details_description)("counts instructions");
  VG_(details_copyright_author)("");
  VG_(details_bug_reports_to)("");
  VG_(basic_tool_funcs)(nothing, instrument, finish);
  VG_(needs_client_requests)(answer);
}

VG_DETERMINE_INTERFACE_VERSION(before_options)
