//! Joins loaded files into one text, as the product whose rules were followed joins them.
//!
//! It drops and reorders nothing; what came before is in `load`.

use super::{Level, Loaded, Product};

impl Loaded {
    /// One text of all files.
    #[must_use]
    pub fn text(&self, product: Product) -> String {
        match product {
            Product::GeminiCli => self.each("\n\n", |name, text| {
                format!("--- Context from: {name} ---\n{text}\n--- End of Context from: {name} ---")
            }),
            Product::Codex => self.in_two_parts(),
            Product::Nuthatch | Product::ClaudeCode | Product::OpenCode => {
                self.each("\n\n", |name, text| format!("# {name}\n\n{text}"))
            }
        }
    }

    fn each(&self, between: &str, shape: impl Fn(&str, &str) -> String) -> String {
        let parts = self.files.iter().map(|file| shape(&file.name, file.text.trim()));
        parts.collect::<Vec<_>>().join(between)
    }

    /// The user's part and the project's, with Codex's mark between them.
    fn in_two_parts(&self) -> String {
        let part = |wanted: fn(Level) -> bool| {
            let texts = self.files.iter().filter(|file| wanted(file.level));
            texts.map(|file| file.text.trim()).collect::<Vec<_>>().join("\n\n")
        };
        let (user, project) = (part(|l| l <= Level::User), part(|l| l > Level::User));
        match (user.is_empty(), project.is_empty()) {
            (false, false) => format!("{user}\n\n--- project-doc ---\n\n{project}"),
            _ => user + &project,
        }
    }
}
