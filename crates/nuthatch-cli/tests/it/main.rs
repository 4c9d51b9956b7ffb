//! The command as a user meets it: arguments and files in; output, exit codes and stores out.
//!
//! One file per command with its whole output as a recording and its errors, then files for
//! what concerns all of them. `coverage` fails when a command has no such tests.

#![allow(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod doors;
mod sandbox;

mod audit;
mod completions;
mod config;
mod dev;
mod doctor;
mod edit;
mod forget;
mod init;
mod list;
mod mcp;
mod migrate;
mod model;
mod mount;
mod preamble;
mod profile;
mod recall;
mod record;
mod reindex;
mod remember;
mod review;
mod scan;
mod serve;
mod show;
mod stats;
mod tour;

mod canary;
mod canary_servers;
#[cfg(unix)]
mod containment;
mod coverage;
mod environment;
mod examples;
mod failures;
mod pages;
mod parity;
mod permissions;
mod scopes;
mod stores;
mod terminal;
mod together;
