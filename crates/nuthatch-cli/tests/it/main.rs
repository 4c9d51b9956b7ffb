//! The command as a user meets it: arguments and files in; output, exit codes and stores out.
//!
//! One file per command with its whole output as a recording and its errors, then files for
//! what concerns all of them. `coverage` fails when a command has no such tests.

#![allow(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod agents;
mod doors;
mod sandbox;

mod audit;
mod chat;
mod completions;
mod config;
mod context;
mod craft;
mod dev;
mod doctor;
mod edit;
mod export;
mod forget;
mod history;
mod hook;
mod import;
mod init;
mod install;
mod learn;
mod list;
mod man;
mod mcp;
mod memory;
mod migrate;
mod model;
mod mount;
mod plan;
mod preamble;
mod profile;
mod read;
mod recall;
mod record;
mod reindex;
mod remember;
mod review;
mod run;
mod scan;
mod serve;
mod sessions;
mod show;
mod stats;
mod step;
mod sync;
mod token;
mod tour;
mod ui;
mod uninstall;

mod canary;
mod canary_servers;
#[cfg(unix)]
mod containment;
mod coverage;
mod environment;
mod examples;
mod failures;
mod greeting;
mod pages;
mod parity;
mod permissions;
mod plugin;
mod scopes;
mod stores;
mod story;
mod terminal;
mod together;
