//! Does the auditor see what is wrong?
//!
//! Modules are metered rightly, and must pass; then one edit of the plan after
//! the other is done wrongly, and each must be found. Here, since planning and
//! LLVM meet in no lower room.

use std::fmt::Write;

use opcost_instrument::{Audit, CostModel, CostTable, Fault, FuelRequest, audit, meter};
use opcost_ir::{FuelEdit, Trips};
use opcost_llvm::{Maker, Session};

/// Meters a module with changed edits and audits it. `None` as the change
/// leaves an edit out.
fn objections(
    text: &str,
    cost: &CostModel,
    change: impl Fn(usize, FuelEdit) -> Option<FuelEdit>,
) -> (usize, Vec<Fault>) {
    objections_where(text, cost, true, change)
}

/// The same for a program that ends when it is stopped, or goes on later.
fn objections_where(
    text: &str,
    cost: &CostModel,
    ends_at_limit: bool,
    change: impl Fn(usize, FuelEdit) -> Option<FuelEdit>,
) -> (usize, Vec<Fault>) {
    objections_to((text, text), cost, ends_at_limit, change)
}

/// The same for a module that carries the plan of another, of the same shape.
fn objections_to(
    (planned, text): (&str, &str),
    cost: &CostModel,
    ends_at_limit: bool,
    change: impl Fn(usize, FuelEdit) -> Option<FuelEdit>,
) -> (usize, Vec<Fault>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.ll");
    let read = |text: &str| {
        std::fs::write(&path, text).expect("written");
        Session::read(&path, Maker::Anyone).unwrap_or_else(|error| panic!("{error}\n{text}"))
    };
    let model = read(planned).snapshot();
    let mut session = read(text);
    session.tag_origins();
    let before = session.snapshot();
    let wanted = FuelRequest {
        cost: cost.clone(),
        overshoot: Some(1000),
        is_whole: true,
        ends_at_limit: true,
        by_segment: false,
        fault_balance: opcost_instrument::FaultBalanceRule::ByRegisters,
    };
    let mut metered = meter(&model, &wanted).expect("it can be metered");
    let count = metered.metering.edits.len();
    let edits = std::mem::take(&mut metered.metering.edits).into_iter().enumerate();
    metered.metering.edits =
        edits.filter_map(|(at, (function, edit))| Some((function, change(at, edit)?))).collect();
    session.meter(&metered.metering).expect("a well-formed module");
    let (after, origins) = session.snapshot_with_origins();
    let found = audit(&Audit {
        before: &before,
        metered: &after,
        origins: &origins,
        cost,
        is_whole: true,
        own_in_calls: opcost_instrument::OwnInCalls::of(&before, true),
        promised: metered.overshoot,
        outside: wanted.outside(),
        ends_at_limit,
    });
    (count, found)
}

/// The same edit, wrong by one.
fn spoilt(edit: FuelEdit) -> Option<FuelEdit> {
    Some(match edit {
        FuelEdit::Load { spot, advance, location: keeper } => {
            FuelEdit::Load { spot, advance: advance + 1, location: keeper }
        }
        FuelEdit::Store { spot, advance, location: keeper } => {
            FuelEdit::Store { spot, advance: advance - 1, location: keeper }
        }
        FuelEdit::Charge { spot, amount } => FuelEdit::Charge { spot, amount: amount - 1 },
        FuelEdit::Check { spot, advance, site } => FuelEdit::Check { spot, advance: advance + 1000, site },
        FuelEdit::ChargeLength { .. } => return None,
        FuelEdit::ChargeTrips { instruction, trips, cost } => {
            FuelEdit::ChargeTrips { instruction, trips, cost: cost - 1 }
        }
        // It changes no code.
        FuelEdit::NoteBalance { .. } | FuelEdit::Reach { .. } => return None,
        FuelEdit::ReturnHere { .. } => unreachable!("no jump in these modules"),
    })
}

const CALLS: &str = r#"
declare void @any()
declare ptr @memcpy(ptr, ptr, i64)
declare i32 @__gxx_personality_v0(...)
define internal i32 @leaf(i32 %n) {
  %c = icmp slt i32 %n, 3
  br i1 %c, label %small, label %large
small:
  ret i32 1
large:
  %m = sub i32 %n, 1
  %a = call i32 @leaf(i32 %m)
  %b = add i32 %a, %m
  ret i32 %b
}
define i32 @main(i32 %n) personality ptr @__gxx_personality_v0 {
entry:
  %r = call i32 @leaf(i32 %n)
  %l = zext i32 %n to i64
  %p = alloca [64 x i8]
  call ptr @memcpy(ptr %p, ptr %p, i64 %l)
  invoke void @any() to label %fine unwind label %pad
fine:
  ret i32 %r
pad:
  %e = landingpad { ptr, i32 } cleanup
  call void @any()
  resume { ptr, i32 } %e
}
"#;

/// Two nested loops; the inner one only goes to the head of the outer one.
const NESTED: &str = r#"
define i32 @main(i32 %n) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %j, %inner ], [ %i, %outer ]
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %inner, label %outer
inner:
  %d = icmp eq i32 %j, 7
  br i1 %d, label %outer, label %done
done:
  ret i32 %j
}
"#;

/// Loops that are paid for where they are entered: by eights, down and tested
/// before the step, over addresses, and with numbers that stand in the code.
const COUNTED: &str = r#"
define i64 @main(i64 %n, ptr %p) {
entry:
  %end = getelementptr i8, ptr %p, i64 %n
  br label %eights
eights:
  %i = phi i64 [ 2, %entry ], [ %i.next, %eights ]
  %i.next = add i64 %i, 8
  %c = icmp eq i64 %i.next, %n
  br i1 %c, label %before, label %eights
before:
  %m = and i64 %n, -16
  br label %down
down:
  %j = phi i64 [ %m, %before ], [ %j.next, %tail ]
  br label %tail
tail:
  %j.next = add i64 %j, -4
  %d = icmp ne i64 0, %j
  br i1 %d, label %down, label %addresses
addresses:
  fence seq_cst
  br label %each
each:
  %q = phi ptr [ %p, %addresses ], [ %q.next, %each ]
  %q.next = getelementptr i8, ptr %q, i64 1
  %e = icmp eq ptr %q.next, %end
  br i1 %e, label %known, label %each
known:
  br label %outer
outer:
  %k = phi i8 [ 200, %known ], [ %k.next, %latch ]
  br label %inner
inner:
  %l = phi i8 [ 3, %outer ], [ %l.next, %inner ]
  %l.next = add i8 %l, -1
  %f = icmp ne i8 %l.next, 0
  br i1 %f, label %inner, label %latch
latch:
  %k.next = add i8 %k, 2
  %g = icmp eq i8 %k.next, 10
  br i1 %g, label %done, label %outer
done:
  ret i64 %j
}
"#;

/// Loops that go round unasked: one in another, with arms that cost more and less,
/// left early, and one behind a check; the bounds multiply to almost what may pass.
const BOUNDED: &str = r#"
define i32 @main(i32 %n) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  br label %inner
inner:
  %j = phi i8 [ 9, %outer ], [ %j.next, %again ]
  %c = icmp eq i32 %n, 3
  br i1 %c, label %dear, label %again
dear:
  fence seq_cst
  %e = icmp eq i32 %n, 4
  br i1 %e, label %again, label %done
again:
  %j.next = add i8 %j, -3
  %d = icmp sgt i8 %j.next, 0
  br i1 %d, label %inner, label %latch
latch:
  %i.next = add i32 %i, 1
  %f = icmp ult i32 %i.next, 4
  br i1 %f, label %outer, label %more
more:
  %k = phi i32 [ 0, %latch ], [ %k.next, %most ]
  %g = icmp ult i32 %k, 11
  br i1 %g, label %most, label %done
most:
  %k.next = add i32 %k, 1
  %h = icmp eq i32 %n, %k
  br i1 %h, label %done, label %more
done:
  ret i32 %n
}
"#;

/// A program of so many blocks; every block can be reached.
fn random_graph(random: &mut impl FnMut(usize) -> usize) -> String {
    let blocks = 2 + random(7);
    let mut text = String::from("declare void @any()\ndefine i32 @main(i32 %x) {\nentry:\n  br label %b0\n");
    for block in 0..blocks {
        writeln!(text, "b{block}:").expect("writing to a string");
        for _ in 0..random(3) {
            text.push_str(if random(4) == 0 { "  call void @any()\n" } else { "  fence seq_cst\n" });
        }
        let (next, other, third) = (block + 1, random(blocks + 1), random(blocks + 1));
        writeln!(text, "  %c{block} = icmp eq i32 %x, {block}").expect("writing to a string");
        match random(4) {
            0 => writeln!(text, "  br label %b{next}"),
            1 => writeln!(
                text,
                "  switch i32 %x, label %b{next} [ i32 1, label %b{other} i32 2, label %b{third} ]"
            ),
            _ => writeln!(text, "  br i1 %c{block}, label %b{next}, label %b{other}"),
        }
        .expect("writing to a string");
    }
    writeln!(text, "b{blocks}:\n  ret i32 0\n}}").expect("writing to a string");
    text
}

/// Every edit is done wrongly once.
fn each_fault_is_found(text: &str) {
    let cost = CostModel::Table(CostTable::fuel());
    let (count, found) = objections(text, &cost, |_, edit| Some(edit));
    assert!(found.is_empty(), "{}\n{text}", found[0]);
    for wrong in 0..count {
        let is_note = std::cell::Cell::new(false);
        let (_, found) = objections(text, &cost, |at, edit| {
            if at != wrong {
                return Some(edit);
            }
            is_note.set(matches!(edit, FuelEdit::NoteBalance { .. } | FuelEdit::Reach { .. }));
            spoilt(edit)
        });
        // A note changes no code; runs that end anywhere judge notes (tests/fuel/ended.rs).
        assert!(is_note.get() || !found.is_empty(), "edit {wrong} was wrong, and nobody saw it\n{text}");
    }
}

#[test]
fn a_stop_that_nothing_stands_behind_is_found_where_the_program_goes_on() {
    let cost = CostModel::Table(CostTable::fuel());
    let (_, ending) = objections_where(NESTED, &cost, true, |_, edit| Some(edit));
    assert!(ending.is_empty(), "{ending:#?}");
    let (_, going_on) = objections_where(NESTED, &cost, false, |_, edit| Some(edit));
    assert!(!going_on.is_empty());
}

#[test]
fn every_wrong_edit_is_found() {
    each_fault_is_found(NESTED);
    each_fault_is_found(CALLS);
    each_fault_is_found(COUNTED);
    each_fault_is_found(BOUNDED);
    let mut state = 7u64;
    let mut random = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    for _ in 0..60 {
        each_fault_is_found(&random_graph(&mut random));
    }
}

#[test]
fn a_cycle_that_costs_nothing_or_is_not_asked_is_found() {
    let says = |found: &[Fault], text: &str| found.iter().any(|objection| objection.what.contains(text));
    let mut free = CostTable { name: "free/1".into(), default: 1, ..CostTable::default() };
    free.opcodes.insert("br".into(), 0);
    let free = CostModel::Table(free);
    let endless = "define i32 @main() {\nentry:\n  br label %a\na:\n  br label %a\n}\n";
    let (_, found) = objections(endless, &free, |_, edit| Some(edit));
    assert!(says(&found, "costs nothing"), "{found:?}");
    let unit = CostModel::Unit;
    let (_, found) =
        objections(NESTED, &unit, |_, edit| (!matches!(edit, FuelEdit::Check { .. })).then_some(edit));
    assert!(says(&found, "goes round without a question"), "{found:?}");
    let (_, found) =
        objections(CALLS, &unit, |_, edit| (!matches!(edit, FuelEdit::Check { .. })).then_some(edit));
    assert!(says(&found, "does not ask at once") && says(&found, "promised"), "{found:?}");
}

/// What a wrong computation of a loop's turns could look like.
#[test]
fn a_wrong_number_of_turns_is_found() {
    let cost = CostModel::Table(CostTable::fuel());
    let wrong: [fn(Trips) -> Trips; 5] = [
        |trips| Trips { is_next_tested: !trips.is_next_tested, ..trips },
        |trips| Trips { is_down: !trips.is_down, ..trips },
        |trips| Trips { step_bits: trips.step_bits + 1, ..trips },
        |trips| Trips { is_divisible: true, step_bits: trips.step_bits.min(3), ..trips },
        |trips| Trips { is_divisible: true, step_bits: 0, ..trips },
    ];
    let (count, found) = objections(COUNTED, &cost, |_, edit| Some(edit));
    assert!(found.is_empty(), "{found:?}");
    let mut spoilt = 0;
    for at in 0..count {
        for (number, wrong) in wrong.iter().enumerate() {
            let is_changed = std::cell::Cell::new(false);
            let (_, found) = objections(COUNTED, &cost, |edit_at, edit| match edit {
                FuelEdit::ChargeTrips { instruction, trips, cost } if edit_at == at => {
                    is_changed.set(wrong(trips) != trips);
                    Some(FuelEdit::ChargeTrips { instruction, trips: wrong(trips), cost })
                }
                _ => Some(edit),
            });
            assert_eq!(is_changed.get(), !found.is_empty(), "edit {at}, change {number}");
            spoilt += usize::from(is_changed.get());
        }
    }
    assert!(spoilt >= 12, "{spoilt}");
}

#[test]
fn a_loop_that_is_charged_and_not_asked_for_is_found() {
    let cost = CostModel::Table(CostTable::fuel());
    let charged = std::cell::RefCell::new(Vec::new());
    let (_, found) = objections(COUNTED, &cost, |_, edit| {
        if let FuelEdit::ChargeTrips { instruction, .. } = edit {
            charged.borrow_mut().push(instruction);
        }
        Some(edit)
    });
    assert!(found.is_empty() && charged.borrow().len() >= 3, "{found:?}");
    let (_, found) = objections(COUNTED, &cost, |_, edit| {
        let asks = matches!(edit, FuelEdit::Check { .. });
        let is_behind_charge = edit.before().is_some_and(|at| charged.borrow().contains(&at));
        (!asks || !is_behind_charge).then_some(edit)
    });
    let says = |text: &str| found.iter().any(|objection| objection.what.contains(text));
    assert!(says("is not asked for"), "{found:?}");
}

/// The plan holds for a loop of few turns, and the loop is another.
#[test]
fn a_loop_that_goes_round_unasked_is_found_where_it_goes_round_too_often() {
    let unit = CostModel::Unit;
    let (count, found) = objections(BOUNDED, &unit, |_, edit| Some(edit));
    assert!(found.is_empty() && count > 0, "{found:?}");
    let checks = std::cell::Cell::new(0);
    objections(BOUNDED, &unit, |_, edit| {
        checks.set(checks.get() + usize::from(matches!(edit, FuelEdit::Check { .. })));
        Some(edit)
    });
    // At its entry `main` is asked, as whatever the outside can call.
    assert!(checks.get() <= 2, "{} checks", checks.get());
    let wrong = [
        // More turns than were planned for, inside and outside.
        ("icmp ult i32 %i.next, 4\n", "icmp ult i32 %i.next, 4000\n", "promised"),
        ("phi i8 [ 9, %outer ]", "phi i8 [ 127, %outer ]", "promised"),
        ("icmp ult i32 %k, 11\n", "icmp ult i32 %k, 1000\n", "promised"),
        // Counters that never meet their bounds, or not in time.
        ("add i32 %k, 1\n", "add i32 %k, 0\n", "goes round without a question"),
        ("icmp ult i32 %k, 11\n", "icmp ult i32 %k, -1\n", "goes round without a question"),
        ("add i8 %j, -3\n", "add i8 %j, 0\n", "goes round without a question"),
        ("icmp ult i32 %i.next, 4\n", "icmp ne i32 %i.next, -9\n", "goes round without a question"),
        // Counters, bounds and steps of which nothing is known.
        ("add i32 %k, 1\n", "add i32 %k, %n\n", "goes round without a question"),
        ("add i32 %k, 1\n", "add i32 %n, 1\n", "goes round without a question"),
        ("icmp ult i32 %k, 11\n", "icmp ult i32 %k, %n\n", "goes round without a question"),
        ("phi i32 [ 0, %latch ]", "phi i32 [ %n, %latch ]", "goes round without a question"),
        ("add i8 %j, -3\n", "sub i8 %j, -3\n", "goes round without a question"),
    ];
    for (right, other, what) in wrong {
        let text = BOUNDED.replacen(right, other, 1);
        assert_ne!(text, BOUNDED);
        let (_, found) = objections_to((BOUNDED, &text), &unit, true, |_, edit| Some(edit));
        let says = |text: &str| found.iter().any(|objection| objection.what.contains(text));
        assert!(says(what), "{other}: {found:?}");
    }
}
