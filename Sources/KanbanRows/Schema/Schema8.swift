/// Images, and what names them. The bytes stand beside what is known of them, so that a read of the change feed passes by
/// no megabytes.
///
/// `unnamed_since` is when the last thing that named the image stopped doing so. Rows of categories and D-days get another
/// column that their checksum covers, so theirs is made anew when they change.
let schema8 = """
    CREATE TABLE images (
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        id BLOB NOT NULL,
        media_type TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        fingerprint INTEGER NOT NULL,
        unnamed_since INTEGER,
        revision INTEGER NOT NULL,
        checksum INTEGER,
        PRIMARY KEY (account, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX images_by_revision ON images (account, revision);
    CREATE INDEX unnamed_images ON images (account, unnamed_since) WHERE unnamed_since IS NOT NULL;

    CREATE TABLE image_contents (
        number INTEGER PRIMARY KEY,
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        id BLOB NOT NULL,
        content BLOB NOT NULL,
        checksum INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX image_contents_by_id ON image_contents (account, id);

    ALTER TABLE accounts ADD COLUMN image BLOB;
    ALTER TABLE categories ADD COLUMN image BLOB;
    ALTER TABLE ddays ADD COLUMN image BLOB;
    UPDATE categories SET checksum = NULL;
    UPDATE ddays SET checksum = NULL;
    """
