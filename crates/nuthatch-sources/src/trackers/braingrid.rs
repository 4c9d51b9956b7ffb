//! Braingrid requirements.
//!
//! Its interface is not described in public. What is assumed: a GET of
//! `/api/v1/projects/{project}/requirements/{id}` with a bearer token answers with a JSON
//! object that has `title` or `name`, and `content`, `description` or `body`; it may stand
//! inside `data` or `requirement`. Address and path can be configured where that differs.

use nuthatch::error::{Error, Result};
use serde_json::Value;

use super::{Said, Token, Who, ask, base, is_plain, text_at};
use crate::web::Web;

/// A Braingrid server and a project on it.
#[derive(Clone, Debug)]
pub struct Braingrid {
    base: String,
    path: String,
    project: String,
    token: Token,
}

impl Braingrid {
    /// Where it is when nobody says otherwise.
    pub const BASE: &'static str = "https://app.braingrid.ai";

    /// The path that is assumed.
    pub const PATH: &'static str = "/api/v1/projects/{project}/requirements/{id}";

    /// A project on a server.
    ///
    /// # Errors
    /// `invalid`, when the address, the path or the project cannot be used.
    pub fn new(base_url: &str, path: &str, project: &str, token: Token) -> Result<Self> {
        if !path.starts_with('/') || !path.contains("{id}") {
            return Err(Error::invalid("BRAINGRID_PATH needs a path with {id} in it")
                .with_hint(format!("the usual one is {}", Braingrid::PATH)));
        }
        if !is_plain(project) {
            return Err(Error::invalid("BRAINGRID_PROJECT_ID is no id of a project")
                .with_hint("an id looks like PROJ-14"));
        }
        Ok(Braingrid {
            base: base("BRAINGRID_BASE_URL", base_url)?,
            path: path.to_owned(),
            project: project.to_owned(),
            token,
        })
    }

    /// Whether `id` can be one of a requirement.
    #[must_use]
    pub fn is_id(id: &str) -> bool {
        is_plain(id)
    }

    /// Where it is, project included.
    pub(crate) fn base(&self) -> String {
        format!("{} {}", self.base, self.project)
    }

    pub(crate) fn requirement(&self, web: &Web, id: &str) -> Result<Said> {
        if !Braingrid::is_id(id) {
            return Err(Error::invalid(format!("`{id}` is no id of a requirement"))
                .with_hint("an id looks like REQ-12"));
        }
        let path = self.path.replace("{project}", &self.project).replace("{id}", id);
        let url = format!("{}{path}", self.base);
        let thing = format!("requirement {id}");
        let variables = "BRAINGRID_PROJECT_ID and BRAINGRID_TOKEN";
        let who = Who { name: "Braingrid", thing: &thing, variables };
        let answer = ask(web, &url, &format!("Bearer {}", self.token.0), &who)?;
        render(id, &answer)
    }
}

fn render(id: &str, answer: &Value) -> Result<Said> {
    let inside = ["/data", "/requirement"].iter().find_map(|at| answer.pointer(at));
    let requirement = inside.filter(|value| value.is_object()).unwrap_or(answer);
    let first = |names: &[&str]| names.iter().find_map(|name| text_at(requirement, name));
    let name = first(&["/title", "/name"]);
    let body = first(&["/content", "/description", "/body"]);
    if name.is_none() && body.is_none() {
        return Err(Error::unavailable("Braingrid answers in a shape that is not known")
            .with_hint("BRAINGRID_BASE_URL and BRAINGRID_PATH say where to ask"));
    }
    let title = name.map_or_else(|| id.to_owned(), |name| format!("{id}: {name}"));
    let mut text = String::new();
    for (name, pointer) in [("status", "/status"), ("priority", "/priority")] {
        if let Some(value) = text_at(requirement, pointer) {
            text.push_str(&format!("{name}: {value}\n"));
        }
    }
    text.push_str(&format!("\n{}", body.unwrap_or_default()));
    Ok(Said { title, text: text.trim().to_owned() })
}
