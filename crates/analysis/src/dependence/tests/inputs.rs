//! Answers that end in named inputs.

use super::*;

const LAYOUT: &str = "data_layout \"e-m:e-i64:64-i128:128-n8:16:32:64-S128\"\n";

#[test]
fn an_argument_of_the_program_through_atoi() {
    let text = format!(
        "{LAYOUT}
declare @atoi
global internal @n type i32 = {{ }}
define internal void @work() {{
  %v = load i32, @n
  ret void
}}
define i32 @main(i32 %argc, ptr %argv) {{
  %at = getelementptr ptr, %argv, i64 1
  %arg = load ptr, %at
  %n = call i32 @atoi(%arg)
  store i32 %n, @n
  call void @work()
  ret i32 0
}}
"
    );
    let said = ask(&text, "work.v");
    assert_eq!(said.text, "atoi(argv[1])");
    assert_eq!(said.inputs, ["argv[1]: through atoi"]);
    assert_eq!((said.blockers.len(), said.quality), (0, ResolutionQuality::Exact));
}

/// What clang makes at -O0.
#[test]
fn an_argument_of_the_program_through_variables() {
    let text = format!(
        "{LAYOUT}
declare @atoi
define i32 @main(i32 %argc, ptr %argv) {{
  %argc.addr = alloca i32
  %argv.addr = alloca ptr
  %n = alloca i32
  store i32 %argc, %argc.addr
  store ptr %argv, %argv.addr
  %base = load ptr, %argv.addr
  %at = getelementptr inbounds ptr, %base, i64 2
  %arg = load ptr, %at
  %number = call i32 @atoi(%arg)
  store i32 %number, %n
  %v = load i32, %n
  %c = load i32, %argc.addr
  ret i32 %v
}}
"
    );
    let said = ask(&text, "main.v");
    assert_eq!((said.text.as_str(), said.quality), ("atoi(argv[2])", ResolutionQuality::Exact));
    assert_eq!(ask(&text, "main.c").text, "argc");
}

#[test]
fn the_environment_and_items_of_scanf() {
    let text = format!(
        "{LAYOUT}
declare @getenv
declare @atoi
declare @scanf
declare @fopen
declare @__isoc99_fscanf
global internal @name type [2 x i8] constant = {{ 0: i8 78 }}
global internal @format type [3 x i8] constant = {{ 0: i8 37, 1: i8 100 }}
global internal @file type [4 x i8] constant = {{ 0: i8 97, 1: i8 46, 2: i8 98 }}
define i32 @main() {{
  %e = call ptr @getenv(ptr @name)
  %n = call i32 @atoi(%e)
  %x = alloca i32
  %r = call i32 @scanf(ptr @format, %x)
  %v = load i32, %x
  %f = call ptr @fopen(ptr @file, ptr @format)
  %y = alloca i32
  %s = call i32 @__isoc99_fscanf(%f, ptr @format, %y)
  %w = load i32, %y
  ret i32 %n
}}
"
    );
    let said = ask(&text, "main.n");
    assert_eq!(said.text, "atoi(getenv(\"N\"))");
    assert_eq!(said.inputs, ["getenv(\"N\"): through atoi"]);
    let said = ask(&text, "main.v");
    assert_eq!(said.inputs, ["%x: item 1 of scanf at %r in @main"]);
    assert_eq!(said.text, "%x");
    let said = ask(&text, "main.w");
    assert_eq!(said.inputs, ["%y: item 1 of __isoc99_fscanf at %s in @main of a.b"]);
}

/// The skeleton of the NAS benchmarks' input, as flang writes it.
fn fortran() -> String {
    let name: String = "inputbt.data".bytes().enumerate().map(|(at, b)| format!("{at}: i8 {b}, ")).collect();
    format!(
        "{LAYOUT}
declare @_FortranAioBeginOpenUnit
declare @_FortranAioEnableHandlers
declare @_FortranAioSetFile
declare @_FortranAioEndIoStatement
declare @_FortranAioBeginExternalListInput
declare @_FortranAioInputInteger
declare @_FortranAioBeginClose
global @global_ type [24 x i8] = {{ }} !member 0 \"dt\" !member 8 \"grid_points\" !member 20 \"niter\"
global internal @source type [4 x i8] constant = {{ }}
global internal @file type [12 x i8] constant = {{ {} }}
define internal void @work_() {{
  %v = load i32, ptr @global_+8
  ret void
}}
define void @_QQmain() {{
entry:
  %o = call ptr @_FortranAioBeginOpenUnit(i32 2, ptr @source, i32 7)
  call void @_FortranAioEnableHandlers(%o, i1 true, i1 false, i1 false, i1 false, i1 false)
  %s = call i1 @_FortranAioSetFile(%o, ptr @file, i64 12)
  %e = call i32 @_FortranAioEndIoStatement(%o)
  %c = icmp eq i32 %e, 0
  br i1 %c, label %read, label %else
read:
  %r = call ptr @_FortranAioBeginExternalListInput(i32 2, ptr @source, i32 72)
  %i1 = call i1 @_FortranAioInputInteger(%r, ptr @global_+8, i32 4)
  %i2 = call i1 @_FortranAioInputInteger(%r, ptr @global_+12, i32 4)
  %e2 = call i32 @_FortranAioEndIoStatement(%r)
  br label %end
else:
  store i32 64, ptr @global_+8
  store i32 32, ptr @global_+12
  br label %end
end:
  call void @work_()
  ret void
}}
define i32 @main(i32 %argc, ptr %argv) {{
  call void @_QQmain()
  ret i32 0
}}
",
        name.trim_end_matches(", ")
    )
}

#[test]
fn a_read_of_a_common_block_ends_at_the_file_s_name() {
    let said = ask(&fortran(), "work_.v");
    assert_eq!(said.text, "grid_points(1)");
    assert_eq!(
        said.inputs,
        ["grid_points(1): 64, unless the READ at line 72 of inputbt.data succeeds (0 at the start)"]
    );
    assert_eq!(said.blockers, Vec::<String>::new());
    let second = fortran().replace("load i32, ptr @global_+8", "load i32, ptr @global_+12");
    assert_eq!(
        ask(&second, "work_.v").inputs,
        [
            "grid_points(2): 32, unless item 2 of the READ at line 72 of inputbt.data succeeds (0 at the start)"
        ]
    );
    // Another unit: its number instead of the name.
    let other = fortran().replace("@_FortranAioBeginOpenUnit(i32 2", "@_FortranAioBeginOpenUnit(i32 3");
    assert!(ask(&other, "work_.v").inputs[0].contains("line 72 of unit 2 succeeds"));
    // Without the READ it is a number, and with another store another.
    let without = fortran().replace(
        "call i1 @_FortranAioInputInteger(%r, ptr @global_+8",
        "call i1 @_FortranAioInputInteger(%r, ptr @global_+16",
    );
    assert_eq!(ask(&without, "work_.v").constants, Some(vec![0, 64]));
}

#[test]
fn in_the_open_world_parameters_are_inputs_and_exported_data_is_not_known() {
    let text = "
global @g type i32 = { 0: i32 3 }
define i32 @f(i32 %n) {
  %v = load i32, @g
  %s = add i32 %v, %n
  ret i32 %s
}
";
    let open = Asking { world: World::Open, ..Asking::default() };
    let said = ask_as(text, "f.s", &open);
    assert_eq!(
        (said.inputs.as_slice(), said.quality),
        (&["%n: a parameter of f".to_owned()][..], ResolutionQuality::Unknown)
    );
    assert!(said.blockers[0].contains("@g, which code that is not seen"), "{:?}", said.blockers);
    // Nobody but the module changes what it keeps to itself.
    let hidden = text.replace("global @g", "global internal @g");
    assert_eq!(ask_as(&hidden, "f.v", &open).constants, Some(vec![3]));
}

#[test]
fn an_unknown_function_gives_an_input_of_its_own_and_blocks_memory() {
    let text = "
declare @mystery
global @g type i32 = { 0: i32 3 }
define i32 @main() {
  %r = call i32 @mystery(ptr @g)
  %v = load i32, @g
  ret i32 %r
}
";
    let said = ask(text, "main.r");
    assert_eq!((said.text.as_str(), said.quality), ("mystery()", ResolutionQuality::Exact));
    assert_eq!(said.inputs, ["mystery(): what mystery gives at %r in @main"]);
    let said = ask(text, "main.v");
    assert_eq!(said.blockers, ["the call of mystery at %r in @main"]);
    assert_eq!(said.quality, ResolutionQuality::Unknown);
}

#[test]
fn a_unit_that_is_kept_in_a_variable_is_followed() {
    let text = fortran()
        .replace("@_FortranAioBeginExternalListInput(i32 2,", "@_FortranAioBeginExternalListInput(i32 %u,")
        .replace("read:\n", "read:\n  %u = load i32, @unit\n")
        .replace("entry:\n", "entry:\n  store i32 2, @unit\n")
        .replace(
            "define internal void @work_",
            "global internal @unit type i32 = { }\ndefine internal void @work_",
        );
    assert!(
        ask(&text, "work_.v").inputs[0].contains("line 72 of inputbt.data"),
        "{:?}",
        ask(&text, "work_.v")
    );
    // Set where nobody can follow: the unit is named.
    let open = text.replace("store i32 2, @unit", "%any = call i32 @mystery()\n  store i32 %any, @unit");
    let said = ask(&format!("declare @mystery\n{open}"), "work_.v");
    assert!(said.inputs[0].contains("line 72 of unit mystery()"), "{:?}", said.inputs);
}

#[test]
fn common_data_is_zero_at_the_start_of_a_program_only() {
    let text = fortran().replace("type [24 x i8] = { }", "type [24 x i8]").replace(
        "call i1 @_FortranAioInputInteger(%r, ptr @global_+8",
        "call i1 @_FortranAioInputInteger(%r, ptr @global_+16",
    );
    let said = ask(&text, "work_.v");
    assert_eq!(said.constants, Some(vec![0, 64]));
    assert_eq!(said.quality, ResolutionQuality::Assuming(vec!["common data is zero at the start"]));
    let open = Asking { world: World::Open, ..Asking::default() };
    assert_eq!(ask_as(&text, "work_.v", &open).constants, None);
}

/// Sizes by level, halved from level to level, as multigrid has them.
#[test]
fn elements_of_an_array_are_told_by_their_index() {
    let text = format!(
        "{LAYOUT}
global internal @size type [12 x i32] = {{ }}
define internal void @work(i64 %level) {{
  %at = getelementptr [12 x i32], ptr @size, i64 0, i64 %level
  %v = load i32, %at
  ret void
}}
define i32 @main() {{
entry:
  store i32 64, @size+40
  br label %head
head:
  %k = phi i64 [ 9, %entry ], [ %next, %head ]
  %above = add i64 %k, 1
  %from = getelementptr [12 x i32], ptr @size, i64 0, i64 %above
  %old = load i32, %from
  %half = sdiv i32 %old, 2
  %to = getelementptr [12 x i32], ptr @size, i64 0, i64 %k
  store i32 %half, %to
  %next = sub i64 %k, 1
  %c = icmp sgt i64 %next, 0
  br i1 %c, label %head, label %end
end:
  %n = call i64 @mystery()
  call void @work(%n)
  ret i32 0
}}
declare @mystery
"
    );
    let said = ask(&text, "work.v");
    assert_eq!(said.text, "@size[mystery()]");
    assert_eq!((said.quality, said.constant), (ResolutionQuality::Possible, None));
    assert!(said.inputs.contains(&"@size[…]: 64 or [k] = @size[k+1]/2".to_owned()), "{:?}", said.inputs);
    assert_eq!(said.blockers, Vec::<String>::new());
    let unknown = text.replace("sdiv i32 %old, 2", "load volatile i32, %from");
    assert_eq!(ask(&unknown, "work.v").blockers, ["volatile or atomic memory"]);
}

#[test]
fn a_table_that_nothing_writes_is_looked_up() {
    let text = format!(
        "{LAYOUT}
global internal @table type [4 x i32] = {{ 0: i32 3, 4: i32 5, 12: i32 9 }}
define internal i32 @get(i32 %i) {{
  %wide = sext i64 %i
  %at = getelementptr [4 x i32], ptr @table, i64 0, i64 %wide
  %v = load i32, %at
  ret i32 %v
}}
define i32 @main() {{
  %a = call i32 @get(i32 1)
  %b = call i32 @get(i32 2)
  ret i32 %a
}}
"
    );
    assert_eq!(ask(&text, "main.a").constant, Some(5));
    assert_eq!(ask(&text, "main.b").constant, Some(0));
    assert_eq!(ask(&text, "get.v").constants, Some(vec![0, 5]));
    let written = text.replace("  %a = call", "  store i32 7, @table+4\n  %a = call");
    assert_eq!(ask(&written, "main.a").constant, Some(7));
}

#[test]
fn a_structure_that_is_passed_by_value_is_the_callers() {
    let text = format!(
        "{LAYOUT}
define internal i32 @f(ptr byval({{ i64, i64, i64 }}) %s) {{
  %at = getelementptr i8, ptr %s, i64 8
  %v = load i64, %at
  %r = trunc i32 %v
  ret i32 %r
}}
define i32 @main() {{
  %x = alloca {{ i64, i64, i64 }}, i32 1
  %at = getelementptr i8, ptr %x, i64 8
  store i64 21, %at
  %r = call i32 @f(ptr %x)
  store i64 22, %at
  ret i32 %r
}}
"
    );
    assert_eq!(ask(&text, "main.r").constant, Some(21));
    let own = text.replace("  %v = load", "  store i64 4, %at\n  %v = load");
    assert_eq!(ask(&own, "main.r").constant, Some(4));
}
