//! A table at the end of somebody's file, and out again.

use super::*;
use crate::document;
use crate::document::Format::Toml;

fn entries() -> Vec<Entry> {
    let tree =
        Tree::object([("command", Tree::text("/a b/nuthatch")), ("args", Tree::texts(&["mcp"]))]);
    vec![Entry::new(&["mcp_servers", "nuthatch"], What::Server(tree))]
}

const FOREIGN: &str = "# mine\r\nmodel = \"o3\" # best\r\n\r\n[mcp_servers.docs]\r\ncommand = \"docs\"\r\n\
                       args = [\r\n  \"a\", # b\r\n]\r\n";

#[test]
fn a_table_is_added_at_the_end_and_taken_out_to_the_byte() {
    for before in
        [FOREIGN, "", "a = 1\n", "[x]\n[mcp_servers]\n", "mcp_servers.docs.command = \"x\"\n"]
    {
        let with = document::with(Toml, before, &entries()).unwrap();
        assert!(with.starts_with(before), "{with}");
        assert_eq!(document::with(Toml, &with, &entries()).unwrap(), with);
        assert_eq!(document::without(Toml, &with, &entries(), &|_| false).unwrap(), before);
    }
    let with = document::with(Toml, FOREIGN, &entries()).unwrap();
    assert!(with.ends_with(
        "\r\n\r\n[mcp_servers.nuthatch]\r\ncommand = \"/a b/nuthatch\"\r\nargs = [\"mcp\"]\r\n"
    ));
}

#[test]
fn what_others_add_behind_it_stays() {
    let with = document::with(Toml, "a = 1\n", &entries()).unwrap();
    let more = format!("{with}\n[mcp_servers.nuthatch.env]\nK = \"v\"\n\n# theirs\n[z]\nb = 2\n");
    let left = document::without(Toml, &more, &entries(), &|_| false).unwrap();
    assert_eq!(left, "a = 1\n\n# theirs\n[z]\nb = 2\n");
}

#[test]
fn another_command_replaces_ours_and_keeps_the_rest_of_the_table() {
    let old = "[mcp_servers.nuthatch]\ncommand = \"/old/nuthatch\"\nstartup_timeout_sec = 9\nargs = [\"mcp\"]\n";
    let new = document::with(Toml, old, &entries()).unwrap();
    let wanted = "[mcp_servers.nuthatch]\ncommand = \"/a b/nuthatch\"\nstartup_timeout_sec = 9\nargs = [\"mcp\"]\n";
    assert_eq!(new, wanted);
}

#[test]
fn what_is_broken_taken_or_cannot_be_followed_is_refused() {
    for text in [
        "a = ",
        "[a",
        "[mcp_servers.nuthatch]\ncommand = \"birds\"\n",
        "mcp_servers = { docs = { command = \"x\" } }\n",
        "mcp_servers = 3\n",
        "text = \"\"\"\n[mcp_servers.nuthatch]\n\"\"\"\n[mcp_servers]\nnuthatch = { command = \"/x/nuthatch\", args = [\"mcp\"] }\n",
    ] {
        assert!(document::with(Toml, text, &entries()).is_err(), "{text}");
    }
    let hidden = "text = \"\"\"\n[mcp_servers.nuthatch]\nx\n\"\"\"\n";
    let with = document::with(Toml, hidden, &entries()).unwrap();
    assert!(document::without(Toml, &with, &entries(), &|_| false).is_err(), "{with}");
}
