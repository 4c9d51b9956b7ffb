//! Which embedder a run works with.

use std::path::PathBuf;
use std::str::FromStr;

/// As named on the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The one in the binary.
    #[default]
    Builtin,
    /// None: words alone.
    None,
    /// A model in a file.
    File(PathBuf),
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "builtin" => Ok(Choice::Builtin),
            None if text == "none" => Ok(Choice::None),
            Some(("file", path)) if !path.is_empty() => Ok(Choice::File(PathBuf::from(path))),
            _ => Err("an embedder is builtin, none or file:PATH".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_embedder_is_named_or_refused() {
        assert_eq!("builtin".parse(), Ok(Choice::Builtin));
        assert_eq!("none".parse(), Ok(Choice::None));
        assert_eq!("file:a/b".parse(), Ok(Choice::File(PathBuf::from("a/b"))));
        assert!("file:".parse::<Choice>().is_err() && "other".parse::<Choice>().is_err());
    }
}
