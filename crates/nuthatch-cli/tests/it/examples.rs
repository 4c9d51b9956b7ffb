//! Every example in every `--help` works, one after the other, on a fresh machine.

use crate::coverage::commands;
use crate::hook::patient;
use crate::sandbox::Sandbox;

fn examples(command: &str) -> Vec<String> {
    let help = Sandbox::new().line(&format!("{command} --help")).ok().stdout;
    let (_, examples) = help.split_once("Examples:\n").expect("help has examples");
    let lines = examples.lines().filter_map(|line| line.strip_prefix("  $ "));
    lines.map(str::to_owned).collect()
}

#[test]
fn every_example_of_every_command_works() {
    for command in commands() {
        let sandbox = patient();
        let lines = examples(&command);
        let shown = lines.iter().any(|line| line.contains(&format!("nuthatch {command}")));
        assert!(shown, "`{command} --help` has no example of itself");
        for line in lines {
            let ran = sandbox.sh(&line);
            assert_eq!(ran.code, 0, "an example of `{command}`: {line}\n{ran:#?}");
            assert!(!ran.stdout.is_empty() || line.contains('>'), "{line} says nothing: {ran:#?}");
        }
    }
}
