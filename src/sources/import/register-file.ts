/**
 * One publication of a register as one SQLite file that never changes after it is complete. Entries are stored in arrival order, so writing
 * is appending; the key index is built after the last entry. Each entry has its own checksum, so that a flipped byte on disk is detected
 * when the entry is read, independent of other checks.
 */
import { Database } from "bun:sqlite"
import { chmodSync, closeSync, fdatasyncSync, fsyncSync, openSync } from "node:fs"
import { crc32 } from "node:zlib"
import type { RegisterEntry } from "../records/register-adapter.ts"
import { SYNC_EVERY_BYTES } from "./copy-file.ts"
import { type Packed, RecordShapes } from "./record-shapes.ts"

/** Changes with the layout below: a release must not misread what another release wrote. */
const REGISTER_FORMAT = "svc-register-1"

/** The file is damaged, or of another release. Never thrown for a missing entry. */
export class RegisterDamaged extends Error {}

const LAYOUT = `
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE entry (id INTEGER PRIMARY KEY, key TEXT NOT NULL, body TEXT NOT NULL, sum INTEGER NOT NULL) STRICT;
CREATE TABLE other_key (id INTEGER PRIMARY KEY, scheme TEXT NOT NULL, value TEXT NOT NULL, key TEXT NOT NULL) STRICT;
`

// The file need not survive a crash before it is complete; then it is synced and renamed.
const WRITING = [
  "page_size = 8192",
  "journal_mode = OFF",
  "synchronous = OFF",
  "locking_mode = EXCLUSIVE",
  "cache_size = -32768",
  // In a container the data directory may be the only writable folder.
  "temp_store = MEMORY",
]

/** Enough for the inner pages of an index of about ten million keys. */
const READING_CACHE_KIB = 8192

/** Limit for repeated keys. More are not a publisher's slips, so they are not compared. */
const DUPLICATES_MAX = 10_000

type Body = readonly [name: string, otherKeys: readonly string[], record: Packed]

export interface Duplicates {
  /** Keys that occurred more than once with the same entry; one entry is kept. */
  readonly same: number
  /** Keys that occurred with different entries, or all repeated keys if there are too many to compare. */
  readonly different: number
}

export class RegisterWriter {
  private readonly database: Database
  private readonly shapes = new RecordShapes()
  private readonly insertEntry
  private readonly insertOther
  private readonly descriptor: number
  private count = 0
  private unsynced = 0

  /** The file must not exist yet. */
  constructor(path: string) {
    this.database = new Database(path, { create: true })
    chmodSync(path, 0o600)
    this.descriptor = openSync(path, "r")
    for (const pragma of WRITING) this.database.run(`PRAGMA ${pragma}`)
    this.database.run(LAYOUT)
    this.insertEntry = this.database.prepare("INSERT INTO entry (key, body, sum) VALUES (?, ?, ?)")
    this.insertOther = this.database.prepare("INSERT INTO other_key (scheme, value, key) VALUES (?, ?, ?)")
    this.database.run("BEGIN")
  }

  add({ key, otherKeys, name, record }: RegisterEntry): void {
    const body: Body = [name, otherKeys.flatMap(({ scheme, value }) => [scheme, value]), this.shapes.pack(record)]
    const text = JSON.stringify(body)
    this.insertEntry.run(key, text, sumOf(key, text))
    for (const { scheme, value } of otherKeys) this.insertOther.run(scheme, value, key)
    this.count += 1
    this.unsynced += text.length
    if (this.unsynced < SYNC_EVERY_BYTES) return
    fdatasyncSync(this.descriptor)
    this.unsynced = 0
  }

  get entries(): number {
    return this.count
  }

  /** Builds the indexes and keeps one entry for each key. Then the file is complete and durable. */
  finish(): Duplicates {
    this.database.run("CREATE INDEX entry_by_key ON entry (key)")
    this.database.run("CREATE INDEX other_key_by_value ON other_key (scheme, value, key)")
    const duplicates = this.removeDuplicates()
    const about = this.database.prepare("INSERT INTO about VALUES (?, ?)")
    about.run("format", REGISTER_FORMAT)
    about.run("shapes", JSON.stringify(this.shapes.list()))
    this.database.run("COMMIT")
    this.database.close(true)
    fsyncSync(this.descriptor)
    return duplicates
  }

  /** Without a `finish` before it, the file is not a register. */
  close(): void {
    this.database.close(true)
    closeSync(this.descriptor)
  }

  private removeDuplicates(): Duplicates {
    const repeated = this.database
      .query<{ keys: number }, []>(
        "SELECT count(*) AS keys FROM (SELECT 1 FROM entry INDEXED BY entry_by_key GROUP BY key HAVING count(*) > 1)",
      )
      .get()?.keys
    if (repeated === undefined || repeated > DUPLICATES_MAX) return { same: 0, different: repeated ?? 0 }
    if (repeated === 0) return { same: 0, different: 0 }
    const keys = this.database
      .query<{ key: string; bodies: number }, []>(
        `SELECT e.key, count(DISTINCT e.body) AS bodies FROM entry e JOIN
         (SELECT key FROM entry INDEXED BY entry_by_key GROUP BY key HAVING count(*) > 1) d ON e.key = d.key GROUP BY e.key`,
      )
      .all()
    const remove = this.database.prepare<{ id: number }, [string, string]>(
      "DELETE FROM entry WHERE key = ? AND id > (SELECT min(id) FROM entry WHERE key = ?) RETURNING id",
    )
    for (const { key } of keys) this.count -= remove.all(key, key).length
    const different = keys.filter(({ bodies }) => bodies > 1).length
    return { same: keys.length - different, different }
  }
}

interface EntryRow {
  readonly key: string
  readonly body: string
  readonly sum: number
}

/** Reads a complete file. */
export class RegisterReader {
  private readonly database: Database
  private readonly shapes: RecordShapes
  private readonly byKey
  private readonly byOther

  /** Throws {@link RegisterDamaged}. Reads only the first pages; other damage is found when an entry is read. */
  constructor(path: string) {
    this.database = opened(path)
    try {
      // One read transaction for the whole lifetime. Nobody writes to the file, and each look-up saves a lock request.
      this.database.run("BEGIN")
      this.database.run(`PRAGMA cache_size = -${READING_CACHE_KIB}`)
      const about = new Map(
        this.database
          .query<{ name: string; value: string }, []>("SELECT name, value FROM about")
          .all()
          .map(({ name, value }) => [name, value]),
      )
      if (about.get("format") !== REGISTER_FORMAT)
        throw new RegisterDamaged("of another release: import the files again")
      this.shapes = new RecordShapes(JSON.parse(about.get("shapes") ?? "[]") as (readonly string[])[])
      this.byKey = this.database.prepare<EntryRow, [string]>("SELECT key, body, sum FROM entry WHERE key = ?")
      this.byOther = this.database.prepare<EntryRow, [string, string]>(
        `SELECT e.key, e.body, e.sum FROM other_key o JOIN entry e ON e.key = o.key
         WHERE o.scheme = ? AND o.value = ? ORDER BY o.key LIMIT 1`,
      )
    } catch (error) {
      this.close()
      throw damaged(error)
    }
  }

  /** Returns null if no entry has this key. Throws {@link RegisterDamaged}. */
  findByKey(key: string): RegisterEntry | null {
    const row = this.row(() => this.byKey.get(key))
    const entry = row && this.entryOf(row)
    if (entry && entry.key !== key) throw new RegisterDamaged("an entry is stored under the key of another one")
    return entry
  }

  /** Returns the first entry in key order. */
  findByOther(scheme: string, value: string): RegisterEntry | null {
    const row = this.row(() => this.byOther.get(scheme, value))
    const entry = row && this.entryOf(row)
    if (entry && !entry.otherKeys.some((other) => other.scheme === scheme && other.value === value)) {
      throw new RegisterDamaged("an entry is stored under a key that it does not have")
    }
    return entry
  }

  close(): void {
    this.database.close(true)
  }

  private row(read: () => EntryRow | null): EntryRow | null {
    try {
      return read()
    } catch (error) {
      throw damaged(error)
    }
  }

  private entryOf({ key, body, sum }: EntryRow): RegisterEntry {
    if (sumOf(key, body) !== sum) throw new RegisterDamaged("an entry does not have its checksum")
    const [name, pairs, record] = JSON.parse(body) as Body
    const otherKeys = pairs.flatMap((scheme, at) => (at % 2 === 0 ? [{ scheme, value: pairs[at + 1] ?? "" }] : []))
    return { key, otherKeys, name, record: this.shapes.unpack(record) }
  }
}

/** Counts the keys of `before` that `after` lacks. Throws {@link RegisterDamaged}. */
export function countRemoved(before: string, after: string): number {
  const database = opened(after)
  try {
    database.run("ATTACH DATABASE ? AS before", [before])
    const row = database
      .query<{ removed: number }, []>(
        `SELECT count(*) AS removed FROM before.entry AS b INDEXED BY entry_by_key
         WHERE NOT EXISTS (SELECT 1 FROM main.entry AS a WHERE a.key = b.key)`,
      )
      .get()
    return row?.removed ?? 0
  } catch (error) {
    throw damaged(error)
  } finally {
    database.close(true)
  }
}

function opened(path: string): Database {
  try {
    return new Database(path, { readonly: true })
  } catch (error) {
    throw damaged(error)
  }
}

function damaged(error: unknown): RegisterDamaged {
  if (error instanceof RegisterDamaged) return error
  return new RegisterDamaged(error instanceof Error ? error.message : String(error))
}

/** A CRC finds every flipped byte. It does not protect against a person with write access; the digest of the file does. */
function sumOf(key: string, body: string): number {
  return crc32(`${key}\n${body}`)
}
