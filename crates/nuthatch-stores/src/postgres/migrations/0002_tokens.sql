-- Who may come through a server: what each token was given for, and its hash.

CREATE TABLE nuthatch.tokens (
    tenant     text COLLATE "C" NOT NULL,
    id         text COLLATE "C" NOT NULL,
    name       text COLLATE "C" NOT NULL,
    role       text COLLATE "C" NOT NULL,
    hash       text COLLATE "C" NOT NULL,
    created_at bigint           NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    PRIMARY KEY (tenant, id)
);

ALTER TABLE nuthatch.tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE nuthatch.tokens FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON nuthatch.tokens
    USING (tenant = current_setting('nuthatch.tenant', true))
    WITH CHECK (tenant = current_setting('nuthatch.tenant', true));

-- Who works with the memories works with their tokens, too: a program that was given rights to the
-- tables there were must not stop working because there is another.
DO $$
DECLARE
    given record;
BEGIN
    FOR given IN
        SELECT DISTINCT a.grantee::regrole::text AS grantee, a.privilege_type
        FROM pg_class AS c, aclexplode(c.relacl) AS a
        WHERE c.oid = 'nuthatch.memories'::regclass AND a.grantee <> 0 AND a.grantee <> c.relowner
            AND a.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
    LOOP
        EXECUTE format('GRANT %s ON nuthatch.tokens TO %s', given.privilege_type, given.grantee);
    END LOOP;
END
$$;
