-- The postings of a shelf lie on a pile with a number of its own: the column `shelf` of
-- postings holds that number. So a pile that was built anew takes the place of the old one
-- at once, however large they are.
ALTER TABLE shelves ADD COLUMN pile INTEGER NOT NULL DEFAULT 0;
UPDATE shelves SET pile = shelf;

-- Piles that are being built anew, by the shelf they are for.
CREATE TABLE piles_anew (
    shelf     INTEGER PRIMARY KEY,
    pile      INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    terms     INTEGER NOT NULL,
    postings  INTEGER NOT NULL
);

-- How far that has got: of each kind of document, the rows up to `after` are on the new piles
-- and those up to `upto` still come. `edition` is who cuts texts into words.
CREATE TABLE rebuilding (
    kind    INTEGER PRIMARY KEY,
    after   INTEGER NOT NULL,
    upto    INTEGER NOT NULL,
    edition TEXT    NOT NULL
);

-- Piles that nobody needs any more, and that are not cleared away yet.
CREATE TABLE piles_left (pile INTEGER PRIMARY KEY);
