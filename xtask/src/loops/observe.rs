//! How often does the body of each marked loop really begin?
//!
//! The source is rewritten, line by line: before a marked loop stands a record
//! of the activation with what each claim makes of the values at that moment,
//! and at the head of its body a count. In C the record is a variable that
//! ends with its block, so that recursion and threads keep theirs apart, and an
//! activation that is left by longjmp or exit is never judged; in Fortran, which
//! has no such thing, an activation ends where the next begins. The program is
//! compiled without optimisation and tells what it saw when it ends.
//!
//! This knows nothing of LLVM's loops or of ours: it is the referee of the
//! marks, which are referees of both. It wants a marked loop to open its brace
//! on its own line and to stand where a declaration may. Marks in IR are not
//! looked at: those programs count for themselves.

use super::room::furnished_room;
use super::sets::{Member, compiler_of, is_fortran};
use crate::command;
use crate::failure::{Failure, Result};
use opcost_testkit::{Mark, MarkClaim, MarkQuality};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// What the rewritten program includes, or is linked with.
const RECORDER: &str = include_str!("observe.h");

/// What was seen of one program.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Observed {
    /// Complete activations of which a claim held.
    pub(crate) held: u64,
    /// Lines with a claim that could be judged and never was.
    pub(crate) not_entered: Vec<usize>,
    /// What did not hold, in words.
    pub(crate) wrong: Vec<String>,
}

impl Observed {
    /// For a line of a report.
    pub(crate) fn words(&self) -> String {
        let mut words = format!("{} activations", self.held);
        if !self.not_entered.is_empty() {
            let lines: Vec<String> = self.not_entered.iter().map(usize::to_string).collect();
            let _ = write!(words, ", none complete of line {}", lines.join(", "));
        }
        words
    }
}

/// Rewrites, builds, runs and reads.
pub(crate) fn run(member: &Member, text: &str, marks: &[Mark], scratch: &Path) -> Result<Observed> {
    if member.source.extension().is_some_and(|end| end == "ll") {
        return Ok(Observed::default());
    }
    let fortran = is_fortran(&member.source);
    let rewritten = if fortran { rewrite_fortran(text, marks) } else { rewrite_c(text, marks) }?;
    let copy = scratch.join(if fortran { "marked.f" } else { "marked.c" });
    let recorder = scratch.join("recorder.c");
    let said = scratch.join("marks.txt");
    let _ = fs::remove_file(&said);
    for (path, text) in
        [(&copy, rewritten.as_str()), (&scratch.join("observe.h"), RECORDER), (&recorder, BY_CALLS)]
    {
        fs::write(path, text).map_err(|error| Failure::at("write", path, error))?;
    }
    let executable = scratch.join("marked");
    let mut command = compiler_of(&copy);
    command.args(["-O0", "-w"]).args(&member.flags).arg(&copy);
    if fortran {
        let object = scratch.join("recorder.o");
        command::output_of(
            Command::new("clang-22").args(["-c", "-O0"]).arg(&recorder).arg("-o").arg(&object),
        )?;
        command.arg("-ffixed-line-length=200").arg(&object);
    }
    command::output_of(command.arg("-o").arg(&executable).args(&member.libraries).current_dir(scratch))?;
    let room = furnished_room(None, scratch)?;
    let mut program = Command::new(&executable);
    let program = program.current_dir(room).env("MARKS", &said).stdin(Stdio::null());
    command::output_of(program)?;
    let told = fs::read_to_string(&said).map_err(|error| Failure::at("read", &said, error))?;
    judge(&told, marks)
}

/// The claims that a run can judge, with their place on the line.
fn judged(mark: &Mark) -> impl Iterator<Item = (usize, &MarkClaim)> {
    mark.claims.iter().enumerate().filter(|(_, claim)| claim.body.is_some() && !claim.is_irreducible)
}

fn rewrite_c(text: &str, marks: &[Mark]) -> Result<String> {
    let mut result = String::from("#include \"observe.h\"\n#line 1\n");
    for (place, line) in text.lines().enumerate() {
        let Some(mark) = marks.iter().find(|mark| mark.line == place + 1) else {
            result += line;
            result.push('\n');
            continue;
        };
        let code = line.split("//").next().unwrap_or_default().trim_end();
        let mut turns = String::new();
        for (number, claim) in judged(mark) {
            let name = format!("mark_{}_{number}", mark.line);
            let (wanted, quality) = claim_in_c(claim);
            let _ = write!(result, "MARK_BEGIN({name}, {}, {number}, {wanted}, {quality}) ", mark.line);
            let _ = write!(turns, " {name}.turns++;");
        }
        if !turns.is_empty() && !code.ends_with('{') {
            let rule = "a marked loop opens its brace on its line";
            return Err(Failure::new(format!("line {}: {rule}", mark.line)));
        }
        let _ = writeln!(result, "{code}{turns}");
    }
    Ok(result)
}

/// The expected number and how it holds: 0 exactly, 1 at most, 2 not asked for these values.
fn claim_in_c(claim: &MarkClaim) -> (String, String) {
    let wanted = claim.body.as_ref().map_or_else(String::new, |body| body.to_c());
    let quality = i32::from(claim.quality == MarkQuality::Bound);
    let quality = match &claim.condition {
        Some(condition) => format!("({} ? {quality} : 2)", condition.to_c()),
        None => quality.to_string(),
    };
    // Where the claim is not asked, its number may not even exist.
    (format!("({quality} == 2 ? 0 : {wanted})"), quality)
}

fn rewrite_fortran(text: &str, marks: &[Mark]) -> Result<String> {
    let mut result = String::new();
    for (place, line) in text.lines().enumerate() {
        let mark = marks.iter().find(|mark| mark.line == place + 1);
        let claims: Vec<(usize, &MarkClaim)> = mark.into_iter().flat_map(judged).collect();
        for (number, claim) in &claims {
            let body = claim.body.as_ref().ok_or_else(|| Failure::new("no body"))?;
            let body = body.to_fortran().map_err(|error| Failure::new(error.to_string()))?;
            let quality = i32::from(claim.quality == MarkQuality::Bound);
            let _ = writeln!(result, "      call mark_begin({}, {number}, {body}, {quality})", place + 1);
        }
        result += line;
        result.push('\n');
        for (number, _) in &claims {
            let _ = writeln!(result, "      call mark_turn({}, {number})", place + 1);
        }
    }
    Ok(result)
}

/// Lines `LINE CLAIM held` and `LINE CLAIM wrong TURNS WANTED`.
fn judge(told: &str, marks: &[Mark]) -> Result<Observed> {
    let mut observed = Observed::default();
    let mut entered = Vec::new();
    for line in told.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let place = words.first().and_then(|word| word.parse::<usize>().ok());
        match (place, words.as_slice()) {
            (Some(place), [_, _, "held"]) => {
                observed.held += 1;
                entered.push(place);
            }
            (Some(place), [_, claim, "wrong", turns, wanted]) => {
                entered.push(place);
                observed.wrong.push(format!(
                    "line {place}, claim {claim}: {turns} iterations where the mark says {wanted}"
                ));
            }
            _ => return Err(Failure::new(format!("the recorder said `{line}`"))),
        }
    }
    observed.wrong.sort();
    observed.wrong.dedup();
    let expected = marks.iter().filter(|mark| judged(mark).next().is_some()).map(|mark| mark.line);
    observed.not_entered = expected.filter(|line| !entered.contains(line)).collect();
    Ok(observed)
}

/// The same recorder under two Fortran names.
const BY_CALLS: &str = "\
#include \"observe.h\"

#define MOST 4096
static struct mark_activation activations[MOST][2];
static int is_open[MOST][2];

static void close_all(void) {
  for (int line = 0; line < MOST; line++) {
    for (int claim = 0; claim < 2; claim++) {
      if (is_open[line][claim]) mark_end(&activations[line][claim]);
    }
  }
}

void mark_begin_(const int *line, const int *claim, const long long *wanted, const int *quality) {
  static int is_registered;
  if (!is_registered) atexit(close_all);
  is_registered = 1;
  struct mark_activation *activation = &activations[*line][*claim];
  if (is_open[*line][*claim]) mark_end(activation);
  is_open[*line][*claim] = 1;
  *activation = (struct mark_activation){*line, *claim, 0, *wanted, *quality};
}

void mark_turn_(const int *line, const int *claim) {
  activations[*line][*claim].turns++;
}
";

#[cfg(test)]
mod tests {
    use super::*;
    use opcost_testkit::read_marks;

    #[test]
    fn a_loop_in_c_gets_a_record_and_a_count() {
        let text = "int f(int n) {\n  while (n--) {  // expect: body=n quality=bound where=n>=0\n  }\n}\n";
        let rewritten = rewrite_c(text, &read_marks(text).unwrap()).unwrap();
        assert!(
            rewritten.contains(
                "MARK_BEGIN(mark_2_0, 2, 0, ((((long long)(n) >= 0LL) ? 1 : 2) == 2 ? 0 : (long long)(n)), \
                 (((long long)(n) >= 0LL) ? 1 : 2))   while (n--) { mark_2_0.turns++;\n"
            ),
            "{rewritten}"
        );
        let wrong = "  while (n--)  // expect: body=n quality=exact\n";
        assert!(rewrite_c(wrong, &read_marks(wrong).unwrap()).is_err());
    }

    #[test]
    fn a_loop_in_fortran_gets_two_calls() {
        let text = "      do i = 1, m ! expect: body=max(m,0) quality=exact\n      end do\n";
        let rewritten = rewrite_fortran(text, &read_marks(text).unwrap()).unwrap();
        let lines: Vec<&str> = rewritten.lines().collect();
        assert_eq!(lines[0], "      call mark_begin(1, 0, max(int(m,8),0_8), 0)");
        assert_eq!(lines[2], "      call mark_turn(1, 0)");
    }

    #[test]
    fn what_was_told_is_judged() {
        let text = "a // expect: body=1 quality=exact\nb // expect: body=2 quality=exact\n";
        let marks = read_marks(text).unwrap();
        let observed = judge("1 0 held\n1 0 wrong 3 1\n1 0 wrong 3 1\n", &marks).unwrap();
        assert_eq!((observed.held, observed.not_entered), (1, vec![2]));
        assert_eq!(observed.wrong, ["line 1, claim 0: 3 iterations where the mark says 1"]);
        assert!(judge("nonsense\n", &marks).is_err());
    }
}
