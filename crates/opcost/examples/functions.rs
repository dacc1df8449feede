use std::path::Path;

use opcost::{CompileOptions, Failure, Program, Run, demangle, ledgers};

fn main() -> Result<(), Failure> {
    let program = Program::build(["bot.c"], &CompileOptions::default())?;
    let ledger = program.count(&Run::with(["1000"]))?;
    for function in ledger.functions() {
        let instructions = function.instructions.unwrap_or(0);
        println!("{instructions:>12} in {}, {:?} calls", demangle(function.name()), function.calls);
        for line in function.lines() {
            println!("    {}:{} {:?}", line.location.file, line.location.line, line.instructions);
        }
    }
    ledgers::save(Path::new("run.opc"), &ledger)?;
    let again = ledgers::ledger(Path::new("run.opc"), None)?;
    println!("{}", again.total());
    Ok(())
}
