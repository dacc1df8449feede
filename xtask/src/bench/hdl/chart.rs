//! What are proven widths worth, as a picture? A panel for LUTs, one for flip-flops and one for the clock.
//!
//! A kernel has a bar for each kind of widths, relative to declared ones, which are the line at 1. A kernel whose
//! figure of declared widths is missing has no bars there. Certified widths are left out: they are close
//! to proven ones. Output: SVG.

use std::fmt::Write;

use super::page::{Figure, Line, clock, flip_flops, luts};

const TITLE: &str = "Circuits by widths, relative to declared ones";
const WIDTH: f64 = 960.0;
const PANEL: f64 = 190.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 40.0;
const FOOT: f64 = 120.0;

/// Kinds that have bars: which of the documents, its name, its colour.
const BARS: [(usize, &str, &str); 2] = [(1, "llvm", "#9aa5b1"), (2, "proven", "#1f6feb")];

/// The picture.
pub(super) fn draw(lines: &[Line]) -> String {
    let panels = [
        Panel { name: "LUTs", figure: luts },
        Panel { name: "flip-flops", figure: flip_flops },
        Panel { name: "clock", figure: clock },
    ];
    let height = TOP + panels.len() as f64 * PANEL + FOOT;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" font-family=\"system-ui, sans-serif\" font-size=\"11\" role=\"img\">\n"
    );
    let _ = writeln!(out, "<title>{TITLE}</title>");
    let _ = writeln!(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>");
    let _ = writeln!(out, "<text x=\"{LEFT}\" y=\"20\" font-size=\"14\" fill=\"#1a1a1a\">{TITLE}</text>");
    for (position, (_, name, colour)) in BARS.iter().enumerate() {
        let x = WIDTH - 180.0 + 80.0 * position as f64;
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"11\" width=\"10\" height=\"10\" fill=\"{colour}\"/>\
             <text x=\"{}\" y=\"20\" fill=\"#444\">{name}</text>",
            x + 14.0
        );
    }
    for (position, panel) in panels.iter().enumerate() {
        panel.draw(lines, TOP + position as f64 * PANEL, &mut out);
    }
    let step = (WIDTH - LEFT) / lines.len().max(1) as f64;
    for (position, line) in lines.iter().enumerate() {
        let (x, y) = (LEFT + (position as f64 + 0.5) * step, height - FOOT + 8.0);
        let function = line.name.rsplit('/').next().unwrap_or_default();
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\" fill=\"#444\" transform=\"rotate(-45 {x:.1} {y:.1})\">{}/{function}</text>",
            line.set
        );
    }
    out + "</svg>\n"
}

/// A figure of all kernels.
struct Panel {
    name: &'static str,
    figure: Figure,
}

impl Panel {
    fn draw(&self, lines: &[Line], top: f64, out: &mut String) {
        let Panel { name, figure } = self;
        let ratio = |line: &Line, kind: usize| {
            let (one, base) = (figure(line.of(kind)?)?, figure(line.of(0)?)?);
            (base > 0.0).then_some(one / base)
        };
        let all = lines.iter().flat_map(|line| BARS.iter().filter_map(|bar| ratio(line, bar.0)));
        let most = all.fold(1.0, f64::max);
        let (low, room) = (top + PANEL - 14.0, PANEL - 34.0);
        let y = |ratio: f64| low - room * ratio / most;
        let step = (WIDTH - LEFT) / lines.len().max(1) as f64;
        let _ = writeln!(
            out,
            "<text x=\"8\" y=\"{:.1}\" fill=\"#1a1a1a\">{name}</text>\
         <path d=\"M{LEFT} {low:.1}H{WIDTH}\" stroke=\"#999\"/><path d=\"M{LEFT} {:.1}H{WIDTH}\" stroke=\"#d33\" \
         stroke-dasharray=\"4 3\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#444\">1</text>",
            top + PANEL / 2.0,
            y(1.0),
            LEFT - 6.0,
            y(1.0) + 4.0
        );
        for (position, line) in lines.iter().enumerate() {
            for (order, &(kind, _, colour)) in BARS.iter().enumerate() {
                let Some(ratio) = ratio(line, kind) else { continue };
                let width = step * 0.36;
                let x = LEFT + position as f64 * step + step * 0.14 + order as f64 * width;
                let _ = writeln!(
                    out,
                    "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{colour}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"9\" fill=\"#444\">{ratio:.2}</text>",
                    y(ratio),
                    width - 1.0,
                    low - y(ratio),
                    x + width / 2.0,
                    y(ratio) - 3.0
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_has_a_bar_for_each_figure_that_is_known() {
        let document = |luts: u64| Ok(serde_json::json!({"synthesis": {"luts": luts, "flip_flops": 0}}));
        let measured = vec![document(400), document(200), document(100), document(100)];
        let line = Line { set: "hdl", name: "a/a".to_owned(), measured, others: Vec::new() };
        let picture = draw(&[line]);
        assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
        assert!(picture.contains(">0.50</text>") && picture.contains(">0.25</text>"), "{picture}");
        // Of flip-flops there are none, and no clock is known.
        assert_eq!(picture.matches("text-anchor=\"middle\"").count(), 2);
        assert!(picture.contains(">hdl/a</text>"));
    }
}
