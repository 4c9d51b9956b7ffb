-- Memories, what they said before, conversations and their turns, jobs; and, made out of these,
-- their words and vectors. Everything is keyed by tenant first, so that it shards by tenant.
-- Times are microseconds since 1970 in UTC. Texts are escaped where they hold a NUL (codec.rs).

-- `numbered` is the number of the last document that was indexed; none is given twice.
CREATE TABLE nuthatch.tenants (
    tenant   text COLLATE "C" NOT NULL,
    numbered bigint           NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant)
) WITH (fillfactor = 50);

CREATE TABLE nuthatch.memories (
    tenant         text COLLATE "C" NOT NULL,
    id             uuid             NOT NULL,
    scope          text COLLATE "C" NOT NULL,
    key            text COLLATE "C",
    key_hash       bytea,
    content        text COLLATE "C" NOT NULL,
    content_hash   bytea            NOT NULL,
    chars          bigint           NOT NULL,
    category       text COLLATE "C" NOT NULL,
    session_id     text COLLATE "C",
    created_at     bigint           NOT NULL,
    updated_at     bigint           NOT NULL,
    origin         text COLLATE "C" NOT NULL,
    source         text COLLATE "C",
    source_session text COLLATE "C",
    source_place   text COLLATE "C",
    trust          bigint           NOT NULL,
    pinned         boolean          NOT NULL,
    importance     double precision NOT NULL,
    metadata       text COLLATE "C",
    superseded_by  uuid,
    used           bigint           NOT NULL,
    last_used_at   bigint,
    PRIMARY KEY (tenant, id)
);
-- By hash, because an entry of an index has less room than a key may need.
CREATE UNIQUE INDEX memories_by_key ON nuthatch.memories (tenant, scope, key_hash)
    WHERE key_hash IS NOT NULL;
CREATE INDEX memories_by_content ON nuthatch.memories (tenant, scope, content_hash);
CREATE INDEX memories_by_age ON nuthatch.memories (tenant, scope, created_at, id);
CREATE INDEX memories_by_time ON nuthatch.memories (tenant, created_at, id);
CREATE INDEX memories_by_category ON nuthatch.memories (tenant, category, created_at);
CREATE INDEX memories_by_session ON nuthatch.memories (tenant, session_id)
    WHERE session_id IS NOT NULL;
CREATE INDEX memories_by_source_session ON nuthatch.memories (tenant, source_session)
    WHERE source_session IS NOT NULL;

-- What each scope holds, so that a limit costs one lookup.
CREATE TABLE nuthatch.scopes (
    tenant  text COLLATE "C" NOT NULL,
    scope   text COLLATE "C" NOT NULL,
    entries bigint           NOT NULL,
    chars   bigint           NOT NULL,
    PRIMARY KEY (tenant, scope)
);

CREATE TABLE nuthatch.versions (
    tenant      text COLLATE "C" NOT NULL,
    memory_id   uuid             NOT NULL,
    number      bigint           NOT NULL,
    key         text COLLATE "C",
    content     text COLLATE "C" NOT NULL,
    category    text COLLATE "C" NOT NULL,
    written_at  bigint           NOT NULL,
    replaced_at bigint           NOT NULL,
    PRIMARY KEY (tenant, memory_id, number)
);

CREATE TABLE nuthatch.sessions (
    tenant         text COLLATE "C" NOT NULL,
    id             text COLLATE "C" NOT NULL,
    channel        text COLLATE "C",
    "user"         text COLLATE "C",
    place_hash     bytea,
    agent          text COLLATE "C",
    project        text COLLATE "C",
    title          text COLLATE "C",
    started_at     bigint           NOT NULL,
    last_active_at bigint           NOT NULL,
    metadata       text COLLATE "C",
    PRIMARY KEY (tenant, id)
);
CREATE INDEX sessions_by_place ON nuthatch.sessions (tenant, place_hash);
CREATE INDEX sessions_by_activity ON nuthatch.sessions (tenant, last_active_at, id);

CREATE TABLE nuthatch.turns (
    tenant  text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    seq     bigint           NOT NULL,
    at      bigint           NOT NULL,
    role    text COLLATE "C" NOT NULL,
    chars   bigint           NOT NULL,
    asked   text COLLATE "C",
    text    text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, session, seq)
);
CREATE INDEX turns_by_time ON nuthatch.turns (tenant, at);

-- What is searched together: the memories (kind 0) or the turns (kind 1) of one scope.
CREATE TABLE nuthatch.shelves (
    tenant    text COLLATE "C" NOT NULL,
    shelf     uuid             NOT NULL,
    kind      bigint           NOT NULL,
    scope     text COLLATE "C" NOT NULL,
    documents bigint           NOT NULL,
    terms     bigint           NOT NULL,
    PRIMARY KEY (tenant, shelf)
);

-- Memories and turns as documents: where each stands, and the words by which it is indexed, with
-- how often it holds each. Whoever is indexed anew gets a new number.
CREATE TABLE nuthatch.documents (
    tenant  text COLLATE "C"   NOT NULL,
    doc     uuid               NOT NULL,
    number  bigint             NOT NULL,
    kind    bigint             NOT NULL,
    shelf   uuid               NOT NULL,
    session text COLLATE "C"   NOT NULL,
    seq     bigint             NOT NULL,
    length  bigint             NOT NULL,
    terms   text[] COLLATE "C" NOT NULL,
    counts  integer[]          NOT NULL,
    hash    bytea              NOT NULL,
    PRIMARY KEY (tenant, doc)
);
CREATE UNIQUE INDEX documents_by_number ON nuthatch.documents (tenant, number);
CREATE INDEX documents_by_place ON nuthatch.documents (tenant, session, seq) WHERE kind = 1;

-- Which documents of a shelf hold a term, by their numbers, in blocks (packed/blocks.rs). A block
-- that grows stays on its page while there is room.
CREATE TABLE nuthatch.postings (
    tenant    text COLLATE "C" NOT NULL,
    shelf     uuid             NOT NULL,
    term      text COLLATE "C" NOT NULL,
    first     bigint           NOT NULL,
    last      bigint           NOT NULL,
    documents bigint           NOT NULL,
    data      bytea            NOT NULL,
    PRIMARY KEY (tenant, shelf, term, first)
) WITH (fillfactor = 70);

CREATE TABLE nuthatch.models (
    tenant text COLLATE "C" NOT NULL,
    model  uuid             NOT NULL,
    id     text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, model)
);

-- One row for each passage. The direction for the index of pgvector is a column of its own that
-- is there where pgvector is (open.rs).
CREATE TABLE nuthatch.vectors (
    tenant  text COLLATE "C" NOT NULL,
    model   uuid             NOT NULL,
    doc     uuid             NOT NULL,
    passage bigint           NOT NULL,
    shelf   uuid             NOT NULL,
    start   bigint           NOT NULL,
    finish  bigint           NOT NULL,
    dims    bigint           NOT NULL,
    code    bytea            NOT NULL,
    PRIMARY KEY (tenant, model, doc, passage)
);
CREATE INDEX vectors_by_shelf ON nuthatch.vectors (tenant, model, shelf);

-- Documents that still wait for vectors of a model, in the order in which they are embedded.
CREATE TABLE nuthatch.pending (
    tenant  text COLLATE "C" NOT NULL,
    model   uuid             NOT NULL,
    kind    bigint           NOT NULL,
    session text COLLATE "C" NOT NULL,
    seq     bigint           NOT NULL,
    doc     uuid             NOT NULL,
    shelf   uuid             NOT NULL,
    PRIMARY KEY (tenant, model, kind, session, seq, doc)
);
CREATE INDEX pending_by_shelf ON nuthatch.pending (tenant, model, shelf);
CREATE INDEX pending_by_document ON nuthatch.pending (tenant, doc);

-- Sets that were applied, so that the same set again does nothing more.
CREATE TABLE nuthatch.applied (
    tenant  text COLLATE "C" NOT NULL,
    id      uuid             NOT NULL,
    at      timestamptz      NOT NULL DEFAULT now(),
    receipt text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX applied_by_time ON nuthatch.applied (tenant, at);

CREATE TABLE nuthatch.jobs (
    tenant   text COLLATE "C" NOT NULL,
    kind     text COLLATE "C" NOT NULL,
    name     text COLLATE "C" NOT NULL,
    revision bigint           NOT NULL,
    body     text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, kind, name)
);

-- The second wall: whoever forgets to name the tenant sees nothing, and whoever names another
-- than the transaction's sees nothing either. The owner of the tables is held to it, too.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['tenants', 'memories', 'scopes', 'versions', 'sessions', 'turns',
        'shelves', 'documents', 'postings', 'models', 'vectors', 'pending', 'applied', 'jobs']
    LOOP
        EXECUTE format('ALTER TABLE nuthatch.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE nuthatch.%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY own_tenant ON nuthatch.%I '
            'USING (tenant = current_setting(''nuthatch.tenant'', true)) '
            'WITH CHECK (tenant = current_setting(''nuthatch.tenant'', true))', name);
    END LOOP;
END
$$;
