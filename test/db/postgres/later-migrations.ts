/** Migrations of a later release, one of each kind, that both engines can run after those of this binary. */
import { createHash } from "node:crypto"
import { type FillSteps, fillRows, fillText } from "../../../db/fill.ts"
import { type Migration, migrations } from "../../../db/migrations.ts"

const next = migrations.length + 1

/** The rules make its text for PostgreSQL. */
const byRules: Migration = {
  ordinal: next,
  name: "9001_by_rules",
  sql: `
    -- A part, such as a TEXT or a BLOB.
    CREATE TABLE part (
      id INTEGER PRIMARY KEY,
      code BLOB NOT NULL CHECK (length(code) = 4),
      name TEXT NOT NULL DEFAULT 'it''s an INTEGER',
      price INTEGER,
      UNIQUE (code, name)
    ) STRICT;
    CREATE TABLE part_use (
      part_id INTEGER NOT NULL REFERENCES part (id) ON DELETE CASCADE,
      at TEXT NOT NULL,
      PRIMARY KEY (part_id, at)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX part_cheap ON part (price, id DESC) WHERE price < 10 AND name <> '';
    ALTER TABLE meta ADD COLUMN note TEXT CHECK (note IN ('A', 'B'));
    INSERT INTO part (code, price) VALUES (x'00ff0102', 5), (x'00ff0103', NULL);
    INSERT INTO part (id, code, name) VALUES (3, zeroblob(4), CAST(7 AS TEXT));
    INSERT INTO part_use SELECT id, '2026-01-01' FROM part;`,
}

/** SQLite makes a table anew to change a check, although others refer to it. */
const rebuilt: Migration = {
  ordinal: next + 1,
  name: "9002_rebuilt",
  sql: `
    CREATE TABLE new_part (
      id INTEGER PRIMARY KEY,
      code BLOB NOT NULL CHECK (length(code) IN (4, 8)),
      price INTEGER,
      origin TEXT NOT NULL REFERENCES meta (name) DEFAULT 'a',
      UNIQUE (code)
    ) STRICT;
    INSERT INTO meta (name, value) VALUES ('a', 'b');
    INSERT INTO new_part (id, code, price) SELECT id, code, price FROM part;
    DROP TABLE part;
    ALTER TABLE new_part RENAME TO part;
    CREATE INDEX part_price ON part (price);`,
  postgres: `
    INSERT INTO meta (name, value) VALUES ('a', 'b');
    DROP INDEX part_cheap;
    ALTER TABLE part
      DROP CONSTRAINT part_code_check,
      DROP CONSTRAINT part_code_name_key,
      DROP COLUMN name,
      ADD COLUMN origin text COLLATE "C" NOT NULL DEFAULT 'a' REFERENCES meta (name),
      ADD CHECK (length(code) IN (4, 8)),
      ADD UNIQUE (code);
    CREATE INDEX part_price ON part (price);`,
}

interface Part {
  readonly id: number | string
  readonly code: Uint8Array
  readonly price: number | string | null
}

function* digestParts(): FillSteps<void> {
  for (let after = 0; ; ) {
    const [part] = yield* fillRows<Part>("SELECT id, code, price FROM part WHERE id > ?1 ORDER BY id LIMIT 1", after)
    if (!part) break
    after = Number(part.id)
    const digest = createHash("sha256").update(part.code).digest()
    const price = part.price === null ? null : Number(part.price) + 1
    yield* fillRows(
      "INSERT INTO part_digest (part_id, digest, hex, price) VALUES (?2, ?1, ?3, ?4)",
      digest,
      after,
      digest.toString("hex"),
      price,
    )
  }
  yield* fillText("CREATE UNIQUE INDEX part_digest_hex ON part_digest (hex); DROP TABLE part_use")
}

const filled: Migration = {
  ordinal: next + 2,
  name: "9003_filled",
  sql: `
    CREATE TABLE part_digest (
      part_id INTEGER PRIMARY KEY REFERENCES part (id),
      digest BLOB NOT NULL,
      hex TEXT NOT NULL,
      price INTEGER
    ) STRICT;`,
  fill: digestParts,
}

export const LATER: readonly Migration[] = [byRules, rebuilt, filled]
