/** One consistent copy of a database that others write to, and the facts about it that a backup states. */
import { Database } from "bun:sqlite"
import { openBeside } from "../../../db/open.ts"
import { openUnchanged } from "../../../db/open-unchanged.ts"
import type { BackupManifest } from "../../../schemas/backup-manifest.ts"
import { syncFile } from "../../base/durable-file.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import { publishedKeys } from "../../keys/published-keys.ts"
import { copyInto } from "../../store/engine/sqlite/copy-into.ts"
import { SqliteStore } from "../../store/engine/sqlite/sqlite-store.ts"
import { listAllServiceKeys } from "../../store/identity/service-keys.ts"
import { logOrigin } from "../../store/log/log-origin.ts"
import { readTreeHead } from "../../store/log/transparency-log.ts"
import { metaValue } from "../../store/meta.ts"
import { BackupRefusal } from "./backup-refusal.ts"

type DatabaseFacts = Pick<BackupManifest, "schema" | "environment" | "log"> & {
  /** Canonical JSON: the statement key set with REVOKED keys, for verifiers. */
  readonly publicKeys: Uint8Array
}

/**
 * Writes a whole copy to the new file `to` and syncs it. `VACUUM INTO` reads one snapshot, so writers continue meanwhile. Call it in a process
 * that serves nothing: it returns when the copy is written.
 */
export function copyDatabase(path: string, to: string): void {
  const database = openBeside(path, { readwrite: true, create: false })
  try {
    copyInto(database, to)
  } finally {
    database.close(false)
  }
  syncFile(to)
}

/** Reads every page of a database that nobody writes to. Throws {@link BackupRefusal} for a damaged one. */
export function requireSound(path: string): void {
  const { database, close } = openUnchanged(path)
  try {
    const [first] = database.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)").all()
    if (first?.integrity_check !== "ok") {
      throw new BackupRefusal("DAMAGED", `the database is damaged: ${first?.integrity_check ?? "no answer"}`)
    }
    const broken = database.query<{ table: string }, []>("PRAGMA foreign_key_check").get()
    if (broken) throw new BackupRefusal("DAMAGED", `a row of the table ${broken.table} refers to a row that is missing`)
  } finally {
    close()
  }
}

/** Facts of a database that nobody writes to. It needs the schema of this program only for its log and its keys. */
export async function databaseFacts(path: string): Promise<DatabaseFacts> {
  const database = new Database(path, { readonly: true, strict: true })
  const store = new SqliteStore(database, (error) => {
    throw error
  })
  try {
    const schema = database
      .query<{ ordinal: number; name: string }, []>(
        "SELECT ordinal, name FROM schema_migration ORDER BY ordinal DESC LIMIT 1",
      )
      .get()
    const environment = await store.read(() => metaValue("environment"))
    if (schema === null || (environment !== "test" && environment !== "live")) {
      throw new BackupRefusal("FOREIGN", "the database is not one of bizauth, or its init did not finish")
    }
    const head = await store.read(readTreeHead)
    return {
      schema,
      environment,
      log: {
        origin: await store.read(logOrigin),
        tree_size: head.size,
        root_hash: Buffer.from(head.rootHash).toString("hex"),
      },
      publicKeys: canonicalBytes(publishedKeys(await store.read(listAllServiceKeys), { revoked: true })),
    }
  } finally {
    await store.close()
  }
}
