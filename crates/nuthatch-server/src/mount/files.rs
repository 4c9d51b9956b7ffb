//! The tree as the kernel asks for it: numbers, attributes, open files.
//!
//! What a file says is taken when it is opened, so that a reader sees one state of it.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation,
    INodeNo, LockOwner, OpenAccMode, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData,
    ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use nuthatch::Place;
use nuthatch::error::{Error, Kind};
use tokio::runtime::Handle;

use super::contents::{self, Talk};
use super::tree::{Node, Numbers};

/// Nothing is kept by the kernel: another process may change memory at any time.
const AT_ONCE: Duration = Duration::ZERO;

/// The files of one place.
pub struct Files {
    place: Place,
    runtime: Handle,
    numbers: Numbers,
    open: Mutex<HashMap<u64, Open>>,
    next: AtomicU64,
    /// The last answer of each device, for whoever reads it after somebody wrote.
    last: Mutex<HashMap<usize, String>>,
}

enum Open {
    Text(String),
    Device { number: usize, talk: Talk, opener: u32 },
}

impl Files {
    pub fn new(place: Place, runtime: Handle) -> Self {
        Files {
            place,
            runtime,
            numbers: Numbers::default(),
            open: Mutex::default(),
            next: AtomicU64::new(1),
            last: Mutex::default(),
        }
    }

    fn node(&self, number: INodeNo) -> Result<Node, Errno> {
        self.numbers.node(number.0).ok_or(Errno::ENOENT)
    }

    fn text(&self, node: Node) -> Result<String, Errno> {
        self.runtime.block_on(contents::text(&self.place, node)).map_err(|error| errno(&error))
    }

    fn attributes(&self, node: Node, asking: &Request) -> Result<FileAttr, Errno> {
        let size = match node {
            Node::Document | Node::Memory(_) => self.text(node)?.len() as u64,
            _ => 0,
        };
        let (kind, perm, nlink) = match node {
            node if node.is_folder() => (FileType::Directory, 0o500, 2),
            Node::Device(_) => (FileType::RegularFile, 0o600, 1),
            _ => (FileType::RegularFile, 0o400, 1),
        };
        Ok(FileAttr {
            ino: INodeNo(self.numbers.of(node)),
            size,
            blocks: size.div_ceil(512),
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind,
            perm,
            nlink,
            // Only who mounted it gets this far.
            uid: asking.uid(),
            gid: asking.gid(),
            rdev: 0,
            blksize: 4096,
            flags: 0,
        })
    }

    fn found(&self, parent: INodeNo, name: &OsStr, asking: &Request) -> Result<FileAttr, Errno> {
        let name = name.to_str().ok_or(Errno::ENOENT)?;
        let node = self.node(parent)?.named(name).ok_or(Errno::ENOENT)?;
        self.attributes(node, asking)
    }

    fn opened(&self, number: INodeNo, flags: OpenFlags, opener: u32) -> Result<u64, Errno> {
        let node = self.node(number)?;
        let open = match node {
            Node::Device(number) => Open::Device { number, talk: Talk::default(), opener },
            _ if flags.acc_mode() != OpenAccMode::O_RDONLY => return Err(Errno::EROFS),
            node => Open::Text(self.text(node)?),
        };
        let handle = self.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.open).insert(handle, open);
        Ok(handle)
    }

    /// What an open file says. A device says what it answered to this file, or, where nothing
    /// was said through it, what it last answered to anybody.
    fn said(&self, handle: FileHandle) -> Result<String, Errno> {
        match lock(&self.open).get(&handle.0).ok_or(Errno::EBADF)? {
            Open::Text(text) => Ok(text.clone()),
            Open::Device { number, talk, .. } if talk.answers.is_empty() => {
                Ok(lock(&self.last).get(number).cloned().unwrap_or_default())
            }
            Open::Device { talk, .. } => Ok(talk.answers.clone()),
        }
    }

    fn heard(&self, handle: FileHandle, more: &[u8]) -> Result<(), Errno> {
        // Taken out while it is answered, so that nobody else waits for the store.
        let taken = lock(&self.open).remove(&handle.0).ok_or(Errno::EBADF)?;
        let Open::Device { number, mut talk, opener } = taken else {
            lock(&self.open).insert(handle.0, taken);
            return Err(Errno::EROFS);
        };
        let heard = self.runtime.block_on(talk.hear(&self.place, number, more));
        if !talk.answers.is_empty() {
            lock(&self.last).insert(number, talk.answers.clone());
        }
        lock(&self.open).insert(handle.0, Open::Device { number, talk, opener });
        heard.map_err(|error| errno(&error))
    }

    /// One of the copies of a handle is closed. A child that was forked meanwhile closes its
    /// copy in the middle of what the opener writes, so only the opener's close is an end that
    /// can fail; where somebody else has the last copy, [`Self::released`] is the end.
    fn closed(&self, handle: FileHandle, closer: u32) -> Result<(), Errno> {
        match lock(&self.open).get_mut(&handle.0) {
            Some(Open::Device { number, talk, opener }) if *opener == closer => {
                self.ended(*number, talk)
            }
            _ => Ok(()),
        }
    }

    /// The last copy of a handle is gone.
    fn released(&self, handle: FileHandle) {
        let released = lock(&self.open).remove(&handle.0);
        if let Some(Open::Device { number, mut talk, .. }) = released {
            // Nobody is left to be told; the answer can be read.
            let _ = self.ended(number, &mut talk);
        }
    }

    fn ended(&self, number: usize, talk: &mut Talk) -> Result<(), Errno> {
        talk.close().map_err(|error| {
            lock(&self.last).insert(number, talk.answers.clone());
            errno(&error)
        })
    }

    fn entries(&self, number: INodeNo) -> Result<Vec<(Node, String)>, Errno> {
        let node = self.node(number)?;
        if !node.is_folder() {
            return Err(Errno::ENOTDIR);
        }
        let mut entries = vec![(node, ".".to_owned()), (node.parent(), "..".to_owned())];
        entries.extend(node.fixed().into_iter().map(|(node, name)| (node, name.to_owned())));
        if node == Node::Memories {
            let ids = self.runtime.block_on(contents::memories(&self.place));
            let ids = ids.map_err(|error| errno(&error))?;
            entries.extend(ids.into_iter().map(|id| (Node::Memory(id), id.to_string())));
        }
        Ok(entries)
    }
}

/// The one table from kinds of failure to what the kernel calls them.
fn errno(error: &Error) -> Errno {
    match error.kind() {
        Kind::Invalid => Errno::EINVAL,
        Kind::NotFound => Errno::ENOENT,
        Kind::Conflict => Errno::EEXIST,
        Kind::Denied => Errno::EACCES,
        Kind::Unavailable => Errno::EBUSY,
        Kind::Internal => Errno::EIO,
    }
}

/// A panic elsewhere cannot leave a half-made entry, so a poisoned lock is still good.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Filesystem for Files {
    fn lookup(&self, asking: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        match self.found(parent, name, asking) {
            Ok(attributes) => reply.entry(&AT_ONCE, &attributes, Generation(0)),
            Err(errno) => reply.error(errno),
        }
    }

    fn getattr(&self, asking: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.node(ino).and_then(|node| self.attributes(node, asking)) {
            Ok(attributes) => reply.attr(&AT_ONCE, &attributes),
            Err(errno) => reply.error(errno),
        }
    }

    /// Shells cut a file before they write to it; a device has nothing to cut.
    fn setattr(
        &self,
        asking: &Request,
        ino: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        _: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<std::time::SystemTime>,
        _: Option<FileHandle>,
        _: Option<std::time::SystemTime>,
        _: Option<std::time::SystemTime>,
        _: Option<std::time::SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let device = match self.node(ino) {
            Ok(node @ Node::Device(_)) if mode.or(uid).or(gid).is_none() => Ok(node),
            Ok(_) => Err(Errno::EROFS),
            Err(errno) => Err(errno),
        };
        match device.and_then(|node| self.attributes(node, asking)) {
            Ok(attributes) => reply.attr(&AT_ONCE, &attributes),
            Err(errno) => reply.error(errno),
        }
    }

    fn open(&self, asking: &Request, ino: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        match self.opened(ino, flags, asking.pid()) {
            // Past the kernel's cache: a device has no size, and a document changes.
            Ok(handle) => reply.opened(FileHandle(handle), FopenFlags::FOPEN_DIRECT_IO),
            Err(errno) => reply.error(errno),
        }
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        match self.said(handle) {
            Ok(text) => {
                let from = usize::try_from(offset).unwrap_or(usize::MAX).min(text.len());
                let to = from.saturating_add(size as usize).min(text.len());
                reply.data(&text.as_bytes()[from..to]);
            }
            Err(errno) => reply.error(errno),
        }
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        _: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        match (self.heard(handle, data), u32::try_from(data.len())) {
            (Ok(()), Ok(written)) => reply.written(written),
            (Ok(()), Err(_)) => reply.error(Errno::EFBIG),
            (Err(errno), _) => reply.error(errno),
        }
    }

    fn flush(
        &self,
        asking: &Request,
        _: INodeNo,
        handle: FileHandle,
        _: LockOwner,
        reply: ReplyEmpty,
    ) {
        match self.closed(handle, asking.pid()) {
            Ok(()) => reply.ok(),
            Err(errno) => reply.error(errno),
        }
    }

    /// What a device was told is stored when it answers.
    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }

    fn release(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        _: OpenFlags,
        _: Option<LockOwner>,
        _: bool,
        reply: ReplyEmpty,
    ) {
        self.released(handle);
        reply.ok();
    }

    fn readdir(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let entries = match self.entries(ino) {
            Ok(entries) => entries,
            Err(errno) => return reply.error(errno),
        };
        for (next, (node, name)) in (1..).zip(entries).skip(usize::try_from(offset).unwrap_or(0)) {
            let kind = match node.is_folder() {
                true => FileType::Directory,
                false => FileType::RegularFile,
            };
            if reply.add(INodeNo(self.numbers.of(node)), next, kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn mknod(&self, _: &Request, _: INodeNo, _: &OsStr, _: u32, _: u32, _: u32, reply: ReplyEntry) {
        reply.error(Errno::EROFS);
    }

    fn mkdir(&self, _: &Request, _: INodeNo, _: &OsStr, _: u32, _: u32, reply: ReplyEntry) {
        reply.error(Errno::EROFS);
    }

    fn unlink(&self, _: &Request, _: INodeNo, _: &OsStr, reply: ReplyEmpty) {
        reply.error(Errno::EROFS);
    }

    fn rmdir(&self, _: &Request, _: INodeNo, _: &OsStr, reply: ReplyEmpty) {
        reply.error(Errno::EROFS);
    }

    fn symlink(&self, _: &Request, _: INodeNo, _: &OsStr, _: &Path, reply: ReplyEntry) {
        reply.error(Errno::EROFS);
    }

    fn rename(
        &self,
        _: &Request,
        _: INodeNo,
        _: &OsStr,
        _: INodeNo,
        _: &OsStr,
        _: RenameFlags,
        reply: ReplyEmpty,
    ) {
        reply.error(Errno::EROFS);
    }

    fn link(&self, _: &Request, _: INodeNo, _: INodeNo, _: &OsStr, reply: ReplyEntry) {
        reply.error(Errno::EROFS);
    }

    fn create(
        &self,
        _: &Request,
        _: INodeNo,
        _: &OsStr,
        _: u32,
        _: u32,
        _: i32,
        reply: ReplyCreate,
    ) {
        reply.error(Errno::EROFS);
    }
}
