//! What is read from outside: context files, the sessions of other agents, pages, trackers.
//!
//! Everything here only reads, within limits, and reports what it could not read in place of
//! failing. Nothing here knows stores, models or doors.
