//! `nuthatch learn`: mistakes and what mends them, strategies, preferences; and how they
//! turned out.

use clap::{Args, Subcommand};
use nuthatch::error::Result;
use nuthatch::filter::Scopes;
use nuthatch::learn::{self, LearnRequest, Learned, Lesson, Rating};
use nuthatch::memory::Memory;
use nuthatch::trust::Origin;

use crate::input;
use crate::output::Output;
use crate::wiring::Desk;

const EXAMPLES: &str = "\
Examples:
  $ nuthatch learn mistake ran the migration twice --fix 'check schema_version first'
  $ nuthatch learn strategy bisect with the smallest failing test
  $ nuthatch learn preference answers in short sentences
  $ nuthatch learn list";

/// Arguments of `learn`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct LearnArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Something that went wrong, and what mends it
    Mistake {
        #[command(flatten)]
        lesson: LessonArgs,
        /// What to do instead
        #[arg(long, value_name = "TEXT")]
        fix: Option<String>,
    },
    /// Something that works
    Strategy(LessonArgs),
    /// How somebody wants it
    Preference(LessonArgs),
    /// List the lessons, the most helpful first
    List,
    /// Say that a lesson helped
    Helpful {
        /// Which lesson
        #[arg(value_name = "ID|KEY", value_parser = input::word)]
        name: String,
    },
    /// Say that a lesson harmed
    Harmful {
        /// Which lesson
        #[arg(value_name = "ID|KEY", value_parser = input::word)]
        name: String,
    },
}

#[derive(Debug, Args)]
struct LessonArgs {
    /// The lesson
    #[arg(value_name = "TEXT", required = true)]
    text: Vec<String>,
    /// Whose lesson: project, global or user
    #[arg(long, value_name = "SCOPE")]
    scope: Option<String>,
}

impl LearnArgs {
    /// Whether it only looks.
    pub fn reads(&self) -> bool {
        matches!(self.action, Action::List)
    }
}

/// Learns, lists or rates.
pub async fn run(args: LearnArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    match args.action {
        Action::Mistake { lesson, fix } => add(Lesson::Mistake, lesson, fix, desk, out).await,
        Action::Strategy(lesson) => add(Lesson::Strategy, lesson, None, desk, out).await,
        Action::Preference(lesson) => add(Lesson::Preference, lesson, None, desk, out).await,
        Action::Helpful { name } => rate(&name, Rating::Helpful, desk, out).await,
        Action::Harmful { name } => rate(&name, Rating::Harmful, desk, out).await,
        Action::List => {
            let scopes = Scopes::These(desk.visible());
            let lessons = learn::lessons(desk.engine(), scopes).await?;
            out.answer(&lessons, |out, lessons| {
                if lessons.is_empty() {
                    out.note("nothing was learnt here yet")?;
                }
                lessons.iter().try_for_each(|lesson| line(out, lesson))
            })
        }
    }
}

async fn add(
    lesson: Lesson,
    args: LessonArgs,
    fix: Option<String>,
    desk: &Desk,
    out: &mut Output,
) -> Result<()> {
    let scope = args.scope.as_deref().map(|scope| desk.scope(scope)).transpose()?;
    let request = LearnRequest {
        lesson,
        text: input::joined(&args.text),
        fix: fix.map(|fix| input::joined(&[fix])),
        scope: scope.unwrap_or_else(|| desk.home().clone()),
        origin: Origin::User,
    };
    let learned = learn::learn(desk.engine(), request).await?;
    out.answer(&learned, |out, Learned { memory, merged }| {
        let word = if *merged { "known already:" } else { "learnt" };
        out.say(format_args!("{word} {} [{}]", memory.id, memory.category))
    })
}

async fn rate(name: &str, rating: Rating, desk: &Desk, out: &mut Output) -> Result<()> {
    let id = desk.find(name, desk.visible()).await?.id;
    let memory = learn::rate(desk.engine(), id, rating).await?;
    out.answer(&memory, line)
}

fn line(out: &mut Output, memory: &Memory) -> Result<()> {
    let count = |name: &str| memory.metadata.get(name).map_or("0", String::as_str).to_owned();
    let (helpful, harmful) = (count("helpful"), count("harmful"));
    let text = &memory.content;
    out.line(format_args!("{} [{}] +{helpful} -{harmful} {text}", memory.id, memory.category))
}
