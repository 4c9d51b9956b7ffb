//! Memory as files: devices that are written to, documents and memories that are read.
//!
//! `tree` says which files there are, `contents` what is in them, `files` tells the kernel.
//! Only who mounted it can look into it, and nothing but a device can be written to.

mod contents;
mod files;
mod tree;

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use fuser::{Config, MountOption, Session, SessionUnmounter};
use nuthatch::Place;
use nuthatch::error::{Error, Result};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use files::Files;

/// A folder in which memory is mounted.
pub struct Mounted {
    folder: PathBuf,
    unmounter: SessionUnmounter,
    ended: oneshot::Receiver<io::Result<()>>,
}

impl Mounted {
    /// Mounts memory in `folder`. Requests are carried out on `runtime`, which has to be
    /// running as long as this is mounted.
    ///
    /// # Errors
    /// `unavailable`, when the system does not let it be mounted there.
    pub fn at(folder: &Path, place: Place, runtime: Handle) -> Result<Mounted> {
        let mut config = Config::default();
        config.mount_options = vec![
            MountOption::FSName("nuthatch".to_owned()),
            MountOption::NoDev,
            MountOption::NoSuid,
            MountOption::NoExec,
            MountOption::NoAtime,
        ];
        let refused = |error: io::Error| {
            Error::unavailable(format!("cannot mount at {}: {error}", folder.display()))
                .with_hint("name an empty folder; /dev/fuse, and fusermount3 unless you are root, are needed")
                .with_source(error)
        };
        let mut session =
            Session::new(Files::new(place, runtime), folder, &config).map_err(refused)?;
        let unmounter = session.unmount_callable();
        let (tell, ended) = oneshot::channel();
        thread::spawn(move || {
            // Nobody listens any more once the caller has gone.
            let _ = tell.send(session.run());
        });
        Ok(Mounted { folder: folder.to_owned(), unmounter, ended })
    }

    /// Waits until somebody else unmounts it.
    ///
    /// # Errors
    /// `unavailable`, when the kernel broke it off.
    pub async fn ended(&mut self) -> Result<()> {
        match (&mut self.ended).await {
            Ok(Ok(())) | Err(_) => Ok(()),
            Ok(Err(error)) => Err(Error::unavailable(format!("the mount broke off: {error}"))),
        }
    }

    /// Unmounts it. Where somebody still looks into it, it vanishes for everybody else at once
    /// and for them when they look away.
    ///
    /// # Errors
    /// `unavailable`, when the system does not let it go.
    pub fn unmount(&mut self) -> Result<()> {
        let Err(error) = self.unmounter.unmount() else { return Ok(()) };
        let lazily = [("fusermount3", ["-u", "-z"].as_slice()), ("umount", ["-l"].as_slice())];
        let let_go = lazily.iter().any(|(program, options)| {
            let ran = Command::new(program).args(*options).arg(&self.folder).output();
            ran.is_ok_and(|ran| ran.status.success())
        });
        if let_go {
            return Ok(());
        }
        Err(Error::unavailable(format!("cannot unmount {}: {error}", self.folder.display()))
            .with_hint("close what is open in it, then use `fusermount3 -u`"))
    }
}
