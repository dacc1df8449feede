use opcost::{Code, CompileOptions, Failure, Program, Run};

fn main() -> Result<(), Failure> {
    let options = CompileOptions::default();
    let program = Program::build(["bot.c"], &options)?;
    let total = program.count(&Run::with(["1000"]))?.total(); // exact, as opcost count has it
    let spent = program.fuel(&Run::with(["1000"]), Some(5_000_000))?.spent;
    let loops = Code::load(["dot.c"], &options)?.loops(None, &[])?.loops.len();
    println!("{total}; {spent} spent, {loops} loops");
    Ok(())
}
