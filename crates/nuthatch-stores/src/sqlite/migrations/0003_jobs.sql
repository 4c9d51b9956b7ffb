-- Durable work. `revision` grows with every exchange: whoever did not see the last one is
-- told so. `body` is the whole job as JSON; the rest of the columns name it.
CREATE TABLE jobs (
    kind     TEXT    NOT NULL,
    name     TEXT    NOT NULL,
    revision INTEGER NOT NULL,
    body     TEXT    NOT NULL,
    PRIMARY KEY (kind, name)
) WITHOUT ROWID;
