//! The store on PostgreSQL, against a server that `scripts/postgres start` gives.
//!
//! `NUTHATCH_TEST_POSTGRES` names it. Without it every test here is ignored by name; CI always
//! sets it. Each test has a tenant of its own, so that all share one server. Where
//! `NUTHATCH_TEST_POOLER` names a pooler before it, stores are opened by that.

#![allow(clippy::unwrap_used, reason = "what goes wrong in a test is its failure")]

mod bench;
mod crossing;
mod indexes;
mod news;
mod sharing;
mod tenants;

use bench::Postgres;
use libtest_mimic::{Arguments, Trial};
use nuthatch_testkit::conformance::store_cases;

/// A test that is no case of the suite.
type Test = (&'static str, fn());

fn main() {
    let missing = bench::server().is_none();
    let cases = store_cases().into_iter().map(|(name, run)| {
        Trial::test(format!("postgres::{name}"), move || {
            run(&Postgres::fresh());
            Ok(())
        })
    });
    let own = tenants::TESTS.iter().chain(sharing::TESTS).chain(crossing::TESTS);
    let own = own.chain(indexes::TESTS).chain(news::TESTS);
    let own = own.map(|(name, run): &Test| {
        Trial::test(*name, move || {
            run();
            Ok(())
        })
    });
    let trials = cases.chain(own).map(|trial| trial.with_ignored_flag(missing)).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
