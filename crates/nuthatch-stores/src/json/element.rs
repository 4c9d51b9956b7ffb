//! One object of the array.
//!
//! An id that is not a UUID is another tool's: the memory's id is derived from it, and it
//! stays in the file as it is. Without any id, text and time name the object.

use jiff::Timestamp;
use nuthatch::id::MemoryId;
use nuthatch::memory::Memory;
use nuthatch::scope::Scope;
use serde_json::Value;
use uuid::Uuid;

use crate::files::field::Field;
use crate::files::naming::Namer;
use crate::files::object::{Before, Fields, Piece, merge};

/// An object that is a memory.
#[derive(Debug)]
pub struct Element {
    /// What it says; its id is not settled before [`Element::settle_id`].
    pub memory: Memory,
    /// Fields that could not be read, or that must be written anew.
    pub odd: Vec<Field>,
    /// Whether it has no id of ours.
    pub by_hand: bool,
    /// Whether the file says its id, in our form or another's.
    has_id: bool,
    /// The time as the file has it, if it does.
    written: String,
}

impl Element {
    /// Reads an object; `None` for what is no memory.
    #[must_use]
    pub fn read(text: &str, fallback: Timestamp) -> Option<Self> {
        let fields = Fields::parse(text)?;
        fields.find(Field::Fact.name())?;
        let id = MemoryId(Uuid::nil());
        let mut memory = Memory::new(id, String::new(), Scope::Global, fallback);
        let mut odd = fields.read(&Field::ALL, &mut memory);
        if odd.contains(&Field::Fact) {
            return None;
        }
        let raw = |field: Field| fields.find(field.name()).map(|raw| raw.get());
        let mut by_hand = raw(Field::Id).is_none();
        if odd.contains(&Field::Id) {
            odd.retain(|field| *field != Field::Id);
            memory.id = MemoryId::derived(&["json", "id", raw(Field::Id).unwrap_or_default()]);
            by_hand = true;
        }
        let written = raw(Field::CreatedAt).unwrap_or_default().to_owned();
        Some(Element { memory, odd, by_hand, has_id: raw(Field::Id).is_some(), written })
    }

    /// Claims the id the file says; `false` when another object has it.
    pub fn claim_id(&mut self, namer: &mut Namer) -> bool {
        if !self.has_id || namer.claim(self.memory.id) {
            return true;
        }
        self.has_id = false;
        self.by_hand = true;
        self.odd.push(Field::Id);
        false
    }

    /// Derives an id where the file says none.
    pub fn settle_id(&mut self, namer: &mut Namer) {
        if !self.has_id {
            self.memory.id = namer.name(&["json", &self.memory.content, &self.written]);
        }
    }
}

/// A memory as an object of the array; what the object `before` held beyond it stays.
#[must_use]
pub fn write(memory: &Memory, before: Option<(&str, &Element)>, ending: &str) -> String {
    let fields = before.and_then(|(text, _)| Fields::parse(text));
    let before = before.zip(fields.as_ref()).map(|((_, element), fields)| Before {
        fields,
        memory: &element.memory,
        odd: &element.odd,
    });
    let indented = format!("{ending}    ");
    let mut object = String::new();
    for (name, piece) in merge(before.as_ref(), &Field::ALL, memory) {
        object.push(if object.is_empty() { '{' } else { ',' });
        object.push_str(&indented);
        object.push_str(&Value::String(name).to_string());
        object.push_str(": ");
        match piece {
            Piece::Kept(raw) => object.push_str(raw),
            Piece::New(value) => object.push_str(&format!("{value:#}").replace('\n', &indented)),
        }
    }
    format!("{object}{ending}  }}")
}
