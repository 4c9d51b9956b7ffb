//! Which folders and files there are: a fixed tree, and a file for each memory.
//!
//! Names are compared whole and never resolved on a disk, so that no name leads anywhere
//! else. Numbers of memories are given when somebody first asks for one, and kept.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use nuthatch::device::DEVICES;
use nuthatch::id::MemoryId;

/// The document of what is remembered here.
pub const DOCUMENT: &str = "MEMORY.md";

/// Numbers below are of the fixed tree.
const FIRST_MEMORY: u64 = 1 << 16;

/// One folder or file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// The folder that is mounted.
    Top,
    /// `dev`.
    Dev,
    /// `dev/memory`.
    Devices,
    /// A device, by its place among [`DEVICES`].
    Device(usize),
    /// `root`: what is remembered here.
    Root,
    /// `root/MEMORY.md`.
    Document,
    /// `memories`.
    Memories,
    /// `memories/<id>`.
    Memory(MemoryId),
}

impl Node {
    /// Whether it is a folder.
    pub fn is_folder(self) -> bool {
        !matches!(self, Node::Device(_) | Node::Document | Node::Memory(_))
    }

    /// The folder it lies in.
    pub fn parent(self) -> Node {
        match self {
            Node::Device(_) => Node::Devices,
            Node::Devices => Node::Dev,
            Node::Document => Node::Root,
            Node::Memory(_) => Node::Memories,
            Node::Top | Node::Dev | Node::Root | Node::Memories => Node::Top,
        }
    }

    /// What lies in it and has a name of its own.
    pub fn fixed(self) -> Vec<(Node, &'static str)> {
        match self {
            Node::Top => {
                vec![(Node::Dev, "dev"), (Node::Root, "root"), (Node::Memories, "memories")]
            }
            Node::Dev => vec![(Node::Devices, "memory")],
            Node::Devices => (0..DEVICES.len()).map(|n| (Node::Device(n), device(n))).collect(),
            Node::Root => vec![(Node::Document, DOCUMENT)],
            _ => Vec::new(),
        }
    }

    /// What a name means in it. Only the usual spelling of an id names a memory.
    pub fn named(self, name: &str) -> Option<Node> {
        if self == Node::Memories {
            let id: MemoryId = name.parse().ok()?;
            return (id.to_string() == name).then_some(Node::Memory(id));
        }
        self.fixed().into_iter().find(|(_, known)| *known == name).map(|(node, _)| node)
    }
}

/// The last part of a device's path.
fn device(n: usize) -> &'static str {
    DEVICES[n].rsplit('/').next().unwrap_or_default()
}

/// Which number is which node.
#[derive(Default)]
pub struct Numbers {
    memories: Mutex<(HashMap<MemoryId, u64>, Vec<MemoryId>)>,
}

impl Numbers {
    /// The number of a node; the same whenever it is asked for.
    pub fn of(&self, node: Node) -> u64 {
        match node {
            Node::Top => 1,
            Node::Dev => 2,
            Node::Devices => 3,
            Node::Root => 4,
            Node::Document => 5,
            Node::Memories => 6,
            Node::Device(n) => 16 + n as u64,
            Node::Memory(id) => {
                let mut known = self.memories.lock().unwrap_or_else(PoisonError::into_inner);
                let (numbers, ids) = &mut *known;
                *numbers.entry(id).or_insert_with(|| {
                    ids.push(id);
                    FIRST_MEMORY + ids.len() as u64 - 1
                })
            }
        }
    }

    /// The node of a number.
    pub fn node(&self, number: u64) -> Option<Node> {
        if let Some(place) = number.checked_sub(FIRST_MEMORY) {
            let known = self.memories.lock().unwrap_or_else(PoisonError::into_inner);
            return known.1.get(usize::try_from(place).ok()?).copied().map(Node::Memory);
        }
        let fixed = [Node::Top, Node::Dev, Node::Devices, Node::Root, Node::Document];
        let devices = (0..DEVICES.len()).map(Node::Device);
        let mut all = fixed.into_iter().chain([Node::Memories]).chain(devices);
        all.find(|node| self.of(*node) == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

    fn walked(path: &str) -> Option<Node> {
        path.split('/').try_fold(Node::Top, |node, name| node.named(name))
    }

    #[test]
    fn every_path_leads_where_it_says_and_back() {
        let numbers = Numbers::default();
        for path in ["dev", "dev/memory", "dev/memory/commit", "dev/memory/profile", "root"] {
            assert!(walked(path).is_some(), "{path}");
        }
        let memory = format!("memories/{ID}");
        for path in ["root/MEMORY.md", "dev/memory/recall", &memory] {
            let node = walked(path).unwrap();
            assert_eq!(numbers.node(numbers.of(node)), Some(node), "{path}");
            assert!(!node.is_folder() && node.parent().is_folder());
        }
    }

    #[test]
    fn no_other_name_leads_anywhere() {
        let upper = format!("memories/{}", ID.to_uppercase());
        for path in [
            "..",
            ".",
            "",
            "dev/..",
            "root/..",
            "root/memory.md",
            "root/MEMORY.md/x",
            "memories/..",
            "memories/editor",
            "dev/memory/commit/x",
            "dev/null",
            &upper,
            &format!("memories/{{{ID}}}"),
            &format!("memories/{}", ID.replace('-', "")),
        ] {
            assert_eq!(walked(path), None, "{path}");
        }
        assert_eq!(Numbers::default().node(7), None);
        assert_eq!(Numbers::default().node(FIRST_MEMORY), None);
    }
}
