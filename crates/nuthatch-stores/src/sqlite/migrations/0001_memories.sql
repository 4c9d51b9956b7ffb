-- Memories, what they said before, conversations and their turns.
-- Times are microseconds since 1970 in UTC; ids are the 16 bytes of a UUID.

CREATE TABLE memories (
    row           INTEGER PRIMARY KEY,
    id            BLOB    NOT NULL UNIQUE,
    scope         TEXT    NOT NULL,
    key           TEXT,
    content       TEXT    NOT NULL,
    content_hash  BLOB    NOT NULL,
    chars         INTEGER NOT NULL,
    category      TEXT    NOT NULL,
    session_id    TEXT,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    origin        TEXT    NOT NULL,
    source        TEXT,
    trust         INTEGER NOT NULL,
    pinned        INTEGER NOT NULL,
    importance    REAL    NOT NULL,
    metadata      TEXT,
    superseded_by BLOB,
    used          INTEGER NOT NULL,
    last_used_at  INTEGER
);

CREATE UNIQUE INDEX memories_by_key ON memories (scope, key) WHERE key IS NOT NULL;
CREATE INDEX memories_by_content ON memories (scope, content_hash);
CREATE INDEX memories_by_age ON memories (scope, created_at, id);
CREATE INDEX memories_by_time ON memories (created_at, id);
CREATE INDEX memories_current ON memories (scope, created_at, id) WHERE superseded_by IS NULL;
CREATE INDEX memories_by_category ON memories (category, created_at);

-- What each scope holds, kept by the triggers below so that a limit costs one lookup.
CREATE TABLE scopes (
    scope   TEXT PRIMARY KEY,
    entries INTEGER NOT NULL,
    chars   INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TRIGGER memories_counted AFTER INSERT ON memories BEGIN
    INSERT INTO scopes (scope, entries, chars) VALUES (new.scope, 1, new.chars)
    ON CONFLICT (scope) DO UPDATE SET entries = entries + 1, chars = chars + new.chars;
END;

CREATE TRIGGER memories_uncounted AFTER DELETE ON memories BEGIN
    UPDATE scopes SET entries = entries - 1, chars = chars - old.chars WHERE scope = old.scope;
    DELETE FROM scopes WHERE scope = old.scope AND entries = 0;
END;

CREATE TRIGGER memories_recounted AFTER UPDATE OF scope, chars ON memories BEGIN
    UPDATE scopes SET entries = entries - 1, chars = chars - old.chars WHERE scope = old.scope;
    INSERT INTO scopes (scope, entries, chars) VALUES (new.scope, 1, new.chars)
    ON CONFLICT (scope) DO UPDATE SET entries = entries + 1, chars = chars + new.chars;
    DELETE FROM scopes WHERE scope = old.scope AND entries = 0;
END;

-- Finished terms, parted by spaces: the tokenizer only has to cut at them.
CREATE VIRTUAL TABLE memories_fts USING fts5 (terms, tokenize = "ascii tokenchars '_'");
CREATE VIRTUAL TABLE memories_vocab USING fts5vocab (memories_fts, row);

CREATE TABLE versions (
    memory_id   BLOB    NOT NULL,
    number      INTEGER NOT NULL,
    key         TEXT,
    content     TEXT    NOT NULL,
    category    TEXT    NOT NULL,
    written_at  INTEGER NOT NULL,
    replaced_at INTEGER NOT NULL,
    PRIMARY KEY (memory_id, number)
) WITHOUT ROWID;

CREATE TABLE sessions (
    id             TEXT PRIMARY KEY,
    channel        TEXT,
    user           TEXT,
    agent          TEXT,
    project        TEXT,
    title          TEXT,
    started_at     INTEGER NOT NULL,
    last_active_at INTEGER NOT NULL,
    metadata       TEXT
) WITHOUT ROWID;

CREATE INDEX sessions_by_channel ON sessions (channel, user);
CREATE INDEX sessions_by_activity ON sessions (last_active_at);

CREATE TABLE turns (
    session TEXT    NOT NULL,
    seq     INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    role    TEXT    NOT NULL,
    text    TEXT    NOT NULL,
    asked   TEXT,
    PRIMARY KEY (session, seq)
);

-- Sets that were applied, so that the same set again does nothing more.
CREATE TABLE applied (
    row     INTEGER PRIMARY KEY,
    id      BLOB NOT NULL UNIQUE,
    receipt TEXT NOT NULL
);
