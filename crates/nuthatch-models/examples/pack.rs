//! Makes one packed model file of plain weights and a vocabulary.
//!
//! `cargo run --release -p nuthatch-models --example pack -- WEIGHTS VOCAB OUT`

#![allow(clippy::print_stdout)]

use std::fs;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [weights, vocabulary, out] = arguments.as_slice() else {
        return Err("usage: pack WEIGHTS VOCAB OUT".into());
    };
    let packed = nuthatch_models::pack(fs::read(weights)?, Some(fs::read(vocabulary)?))?;
    fs::write(out, &packed)?;
    println!("{}  {out}", blake3::hash(&packed).to_hex());
    Ok(())
}
