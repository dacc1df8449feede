//! The values that a run tells are those that its results had.

use opcost_ir::{Value, parse_module};
use opcost_testkit::{Interpreter, Scalar, function_named, nothing_known};

#[test]
fn each_value_is_told_once_and_poison_never() {
    let text = "define i8 @run(i8 %n) {
entry:
  br label %loop
loop:
  %i = phi i8 [ 0, %entry ], [ %next, %loop ]
  %low = and i8 %i, 1
  %bad = shl i8 %i, 9
  %next = add i8 %i, 1
  %go = icmp ult i8 %next, %n
  br i1 %go, label %loop, label %exit
exit:
  ret i8 %low
}
";
    let module = parse_module(text).expect("a module");
    let id = function_named(&module, "run").expect("the function");
    let interpreter = Interpreter::new(&module).with_values();
    let run = interpreter.run(id, &[Scalar::integer(8, 4)], &mut nothing_known);
    let of = |name: &str| -> Vec<u128> {
        let names = &module.functions[id].names;
        let wanted = |value: &Value| names.get(value).is_some_and(|own| **own == *name);
        run.values.iter().filter(|(_, value, _)| wanted(value)).map(|&(_, _, bits)| bits).collect()
    };
    assert_eq!((of("n"), of("i"), of("low")), (vec![4], vec![0, 1, 2, 3], vec![0, 1]));
    assert_eq!((of("bad"), of("go")), (vec![], vec![1, 0]));
    let silent = Interpreter::new(&module).run(id, &[Scalar::integer(8, 4)], &mut nothing_known);
    assert_eq!(silent.values, []);
}
