-- What is left of memories that were forgotten: that they were, and nothing of what they said.
CREATE TABLE tombstones (
    id    BLOB    PRIMARY KEY,
    scope TEXT    NOT NULL,
    at    INTEGER NOT NULL
) WITHOUT ROWID;
