//! The host of host.cpp in Rust: the same game, the same table.
//!
//! ```text
//! cargo run -p opcost-host --example game -- honest.so endless.so sleeping.so
//! ```

use std::path::Path;
use std::time::Duration;

use opcost_host::{EndKind, Instance, InstanceOptions, MeteredFunction, Turn};

const SIZE: usize = 12;
const ROUNDS: i32 = 40;
const TURN: Turn = Turn { fuel: 100_000, deadline: Some(Duration::from_millis(50)) };

/// `struct view` of game.h.
#[derive(Clone, Copy, bytemuck::AnyBitPattern)]
#[repr(C)]
struct View {
    round: i32,
    x: i32,
    y: i32,
    gold: i32,
    step: i32,
    field: [[u8; SIZE]; SIZE],
}

struct Game {
    field: [[u8; SIZE]; SIZE],
    dice: u32,
}

impl Game {
    fn drop_gold(&mut self) {
        self.dice = self.dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.field[(self.dice >> 16) as usize % SIZE][(self.dice >> 24) as usize % SIZE] = 1;
    }

    fn step(&mut self, player: &mut Player) {
        let (dx, dy) = match player.view.step {
            1 => (0, SIZE - 1),
            2 => (1, 0),
            3 => (0, 1),
            4 => (SIZE - 1, 0),
            _ => (0, 0),
        };
        player.x = (player.x + dx) % SIZE;
        player.y = (player.y + dy) % SIZE;
        let here = &mut self.field[player.y][player.x];
        if std::mem::take(here) != 0 {
            player.gold += 1;
            self.drop_gold();
        }
    }
}

struct Player {
    name: String,
    bot: Option<(Instance<View>, MeteredFunction)>,
    view: View,
    x: usize,
    y: usize,
    gold: i32,
    turns: u32,
    finished: u32,
    used_up: u32,
    in_a_row: u32,
    spent: u64,
    end: String,
}

impl Player {
    fn enter(path: &Path, place: usize) -> Player {
        // So that the deadline has something to do.
        let allowed = vec!["sleep".to_owned()];
        let options = InstanceOptions { stack_bytes: 256 << 10, memory_bytes: 8 << 20, allowed };
        let view: View = bytemuck::Zeroable::zeroed();
        // SAFETY: these bots keep to `View`, and to the terms of the game.
        let loaded = unsafe { Instance::load(path, &options, view) };
        let (bot, end) = match loaded {
            Err(rejected) => (None, format!("rejected: {}", rejected.reason())),
            Ok(bot) => match bot.find("turn") {
                None => (None, "has no function turn".to_owned()),
                Some(turn) => (Some((bot, turn)), String::new()),
            },
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (x, y) = (place % SIZE, place % SIZE);
        Player {
            name,
            bot,
            view,
            x,
            y,
            gold: 0,
            turns: 0,
            finished: 0,
            used_up: 0,
            in_a_row: 0,
            spent: 0,
            end,
        }
    }

    fn play(&mut self, game: &mut Game, round: i32) {
        let Some((bot, turn)) = &mut self.bot else { return };
        self.turns += 1;
        let verdict = if self.in_a_row == 0 {
            *bot.shared_mut() = View {
                round,
                x: self.x as i32,
                y: self.y as i32,
                gold: self.gold,
                step: 0,
                field: game.field,
            };
            bot.run(*turn, TURN)
        } else {
            bot.resume(TURN)
        };
        self.spent = verdict.spent_in_all;
        self.view = *bot.shared();
        if verdict.kind == EndKind::Finished {
            self.finished += 1;
            self.in_a_row = 0;
            return game.step(self);
        }
        let mut end = format!("{} in round {round}", verdict.kind);
        if verdict.kind == EndKind::UsedUp {
            self.used_up += 1;
            self.in_a_row += 1;
            if self.in_a_row < 3 {
                return;
            }
            if let Some(place) = verdict.location.filter(|place| !place.file.is_empty()) {
                end += &format!(", {}:{}", place.file, place.line);
            }
        }
        self.end = end;
        self.bot = None;
    }
}

/// Plays, and returns the table.
pub fn game<P: AsRef<Path>>(paths: &[P]) -> String {
    let mut game = Game { field: [[0; SIZE]; SIZE], dice: 1 };
    let mut players: Vec<Player> =
        paths.iter().enumerate().map(|(place, path)| Player::enter(path.as_ref(), place)).collect();
    for _ in 0..20 {
        game.drop_gold();
    }
    for round in 0..ROUNDS {
        for player in &mut players {
            player.play(&mut game, round);
        }
    }
    let mut table = format!(
        "{:<12} {:>5} {:>8} {:>7} {:>5}  spent, and how it ended\n",
        "bot", "turns", "finished", "used-up", "gold"
    );
    for player in &players {
        let Player { name, turns, finished, used_up, gold, spent, end, .. } = player;
        table += &format!("{name:<12} {turns:>5} {finished:>8} {used_up:>7} {gold:>5}  {spent} {end}\n");
    }
    table
}

fn main() {
    let paths: Vec<std::path::PathBuf> = std::env::args_os().skip(1).map(Into::into).collect();
    print!("{}", game(&paths));
}
