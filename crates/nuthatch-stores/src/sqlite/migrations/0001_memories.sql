-- Memories, what they said before, conversations and their turns; and, made out of these,
-- their words and vectors.
-- Times are microseconds since 1970 in UTC; ids are the 16 bytes of a UUID.

CREATE TABLE memories (
    row           INTEGER PRIMARY KEY,
    id            BLOB    NOT NULL UNIQUE,
    scope         TEXT    NOT NULL,
    key           TEXT,
    content       TEXT    NOT NULL,
    content_hash  BLOB    NOT NULL,
    chars         INTEGER NOT NULL,
    terms         INTEGER NOT NULL,
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

-- A conversation that is not listed is known only by turns that were found without it.
CREATE TABLE sessions (
    row            INTEGER PRIMARY KEY,
    id             TEXT    NOT NULL UNIQUE,
    channel        TEXT,
    user           TEXT,
    agent          TEXT,
    project        TEXT,
    title          TEXT,
    started_at     INTEGER NOT NULL,
    last_active_at INTEGER NOT NULL,
    metadata       TEXT,
    listed         INTEGER NOT NULL,
    shelf          INTEGER
);

CREATE INDEX sessions_by_channel ON sessions (channel, user);
CREATE INDEX sessions_by_activity ON sessions (last_active_at);

-- What was said; the text comes last, so that the rest is read without it.
CREATE TABLE turns (
    row     INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    seq     INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    role    TEXT    NOT NULL,
    chars   INTEGER NOT NULL,
    terms   INTEGER NOT NULL,
    asked   TEXT,
    text    TEXT    NOT NULL
);

CREATE UNIQUE INDEX turns_by_place ON turns (session, seq);
CREATE INDEX turns_by_time ON turns (at);

-- What is searched together: the memories (kind 0) or the turns (kind 1) of one scope. A
-- document is known by the row of its memory or turn. `terms` is the sum of what its
-- documents have, `postings` how often one of them holds a term at all.
CREATE TABLE shelves (
    shelf     INTEGER PRIMARY KEY,
    kind      INTEGER NOT NULL,
    scope     TEXT    NOT NULL,
    documents INTEGER NOT NULL,
    terms     INTEGER NOT NULL,
    postings  INTEGER NOT NULL,
    UNIQUE (kind, scope)
);

-- Which documents hold a term, in blocks small enough to lie within a page: see words.rs.
CREATE TABLE postings (
    shelf     INTEGER NOT NULL,
    term      TEXT    NOT NULL,
    first     INTEGER NOT NULL,
    last      INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    data      BLOB    NOT NULL,
    PRIMARY KEY (shelf, term, first)
) WITHOUT ROWID;

-- Vectors, exact, one for each passage of a document.
CREATE TABLE models (
    model      INTEGER PRIMARY KEY,
    id         TEXT    NOT NULL UNIQUE,
    dimensions INTEGER
);

CREATE TABLE vectors (
    row     INTEGER PRIMARY KEY,
    model   INTEGER NOT NULL,
    kind    INTEGER NOT NULL,
    doc     INTEGER NOT NULL,
    passage INTEGER NOT NULL,
    start   INTEGER NOT NULL,
    finish  INTEGER NOT NULL,
    block   INTEGER NOT NULL,
    code    BLOB    NOT NULL
);

CREATE UNIQUE INDEX vectors_by_document ON vectors (kind, doc, model, passage);

-- The same vectors, coarse and packed, to be looked through one after another: see sketch.rs.
-- A version is never given twice, so that a copy in RAM can be told from what is here.
CREATE TABLE sketches (
    block   INTEGER PRIMARY KEY AUTOINCREMENT,
    model   INTEGER NOT NULL,
    shelf   INTEGER NOT NULL,
    version INTEGER NOT NULL,
    entries INTEGER NOT NULL,
    data    BLOB    NOT NULL
);

CREATE INDEX sketches_by_shelf ON sketches (model, shelf, block, version, entries);

CREATE TABLE versioning (value INTEGER NOT NULL);
INSERT INTO versioning (value) VALUES (random() / 4);

-- Documents that still wait for vectors of a model, and how many there are.
CREATE TABLE pending (
    model INTEGER NOT NULL,
    shelf INTEGER NOT NULL,
    doc   INTEGER NOT NULL,
    PRIMARY KEY (model, shelf, doc)
) WITHOUT ROWID;

CREATE TABLE progress (
    model    INTEGER NOT NULL,
    shelf    INTEGER NOT NULL,
    pending  INTEGER NOT NULL,
    passages INTEGER NOT NULL,
    PRIMARY KEY (model, shelf)
) WITHOUT ROWID;

-- Sets that were applied, so that the same set again does nothing more.
CREATE TABLE applied (
    row     INTEGER PRIMARY KEY,
    id      BLOB NOT NULL UNIQUE,
    receipt TEXT NOT NULL
);
