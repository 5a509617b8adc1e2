-- +goose Up

-- What the container runs where overrides changed that; 0: the template of its revision.
ALTER TABLE containers ADD COLUMN rendering INTEGER NOT NULL DEFAULT 0;

-- What clusters receive where overrides changed it: JSON, the number by cluster; NULL for none.
ALTER TABLE bindings ADD COLUMN renderings TEXT;
ALTER TABLE bindings ADD COLUMN last_rendering INTEGER NOT NULL DEFAULT 0;

-- Of a deployment or a resource, whichever has that UID; while containers run one it outlives both, as they do. object is
-- the whole document; of a Secret the values that overrides set are sealed.
CREATE TABLE renderings (
    uid     TEXT NOT NULL,
    number  INTEGER NOT NULL,
    cluster TEXT NOT NULL,
    object  TEXT NOT NULL,
    PRIMARY KEY (uid, number)
) STRICT;
