//! Which line of which file does an input name?

/// `prog.c:3:14`
pub(crate) fn split(input: &str) -> (&str, Option<u32>, Option<u32>) {
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
    let Some((rest, last)) = input.rsplit_once(':') else { return (input, None, None) };
    let Some(last) = number(last) else { return (input, None, None) };
    match rest.rsplit_once(':').and_then(|(path, line)| Some((path, number(line)?))) {
        Some((path, line)) => (path, Some(line), Some(last)),
        None => (rest, Some(last), None),
    }
}
