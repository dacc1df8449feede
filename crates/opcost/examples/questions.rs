use opcost::{Code, CompileOptions, Failure, LineLocation, PortContract, Program, Run, WorldWish};

fn main() -> Result<(), Failure> {
    let options = CompileOptions { level: "1".to_owned(), ..CompileOptions::default() };
    // A limit that stops a program.
    let spending = Program::build(["bot.c"], &options)?.fuel(&Run::with(["1000"]), Some(5_000_000))?;
    println!("{} spent, stopped: {}", spending.spent, spending.page.stopped.is_some());
    // Trip counts and bits, from the code alone.
    let code = Code::load(["dot.c"], &options)?;
    for one in code.loops(Some(WorldWish::Open), &[("n".to_owned(), 100)])?.loops {
        println!("{:?} iterations", one.expression);
    }
    let contract: PortContract = "dot.n=0..99".parse().expect("a contract");
    for function in code.bits(None, &[contract])?.functions {
        println!("{} has {} values", function.name, function.values.len());
    }
    let place = LineLocation { file: "dot.c".to_owned(), line: 3, column: None };
    println!("{} answers", code.explain(None, place)?.things.len());
    Ok(())
}
