use opcost::{CompileOptions, Failure, Program, Run};

fn main() -> Result<(), Failure> {
    let program = Program::build(["bot.c"], &CompileOptions::default())?;
    println!("{}", program.count(&Run::with(["1000"]))?.total());
    Ok(())
}
