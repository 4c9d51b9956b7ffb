-- What is left of memories that were forgotten: that they were, and nothing of what they said.
CREATE TABLE nuthatch.tombstones (
    tenant text COLLATE "C" NOT NULL,
    id     uuid             NOT NULL,
    scope  text COLLATE "C" NOT NULL,
    at     bigint           NOT NULL,
    PRIMARY KEY (tenant, id)
);
ALTER TABLE nuthatch.tombstones ENABLE ROW LEVEL SECURITY;
ALTER TABLE nuthatch.tombstones FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON nuthatch.tombstones
    USING (tenant = current_setting('nuthatch.tenant', true))
    WITH CHECK (tenant = current_setting('nuthatch.tenant', true));

-- Whoever may use the memories may use this: a program must not lose its rights by an update.
DO $$
DECLARE
    given record;
BEGIN
    FOR given IN
        SELECT a.privilege_type AS what,
            CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END AS who
        FROM pg_class AS c CROSS JOIN LATERAL aclexplode(c.relacl) AS a
        LEFT JOIN pg_roles AS r ON r.oid = a.grantee
        WHERE c.oid = 'nuthatch.memories'::regclass AND a.grantee <> c.relowner
            AND a.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
    LOOP
        EXECUTE format('GRANT %s ON nuthatch.tombstones TO %s', given.what, given.who);
    END LOOP;
END
$$;
