/** The smallest real aggregate, for tests of the store itself: rows of `used_nonce` in a fresh file. */
import type { Database } from "bun:sqlite"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { and, eq } from "drizzle-orm"
import { migrate } from "../../db/migrate.ts"
import { migrations } from "../../db/migrations.ts"
import { openDatabase } from "../../db/open.ts"
import { bind, bound, changed, first, query, rows, type Unit, write } from "../../src/store/engine/unit.ts"

const insert = query((db, t) =>
  db
    .insert(t.usedNonce)
    .values({ scope: bind("scope"), nonce: bind("nonce"), expiresAt: bind("expiresAt") })
    .returning({ nonce: t.usedNonce.nonce }),
)
const ofScope = query((db, t) =>
  db
    .select({ nonce: t.usedNonce.nonce })
    .from(t.usedNonce)
    .where(eq(t.usedNonce.scope, bind("scope"))),
)
const one = query((db, t) =>
  db
    .select({ nonce: t.usedNonce.nonce })
    .from(t.usedNonce)
    .where(and(eq(t.usedNonce.scope, bind("scope")), eq(t.usedNonce.nonce, bind("nonce")))),
)
const payload = query((db, { usedNonce: t }) =>
  db
    .select({ text: t.expiresAt })
    .from(t)
    .where(eq(t.nonce, bind("nonce"))),
)
const replacePayload = write((db, { usedNonce: t }) =>
  db
    .update(t)
    .set({ expiresAt: bound("payload") })
    .where(eq(t.nonce, bind("nonce"))),
)

/** Fails with a constraint error when the row exists. `payload` makes the row as large as a test wants. */
export function* put(nonce: string, scope = "s", payload = "2026-01-01T00:00:00.000Z"): Unit<string> {
  yield* rows(insert, { scope, nonce, expiresAt: payload })
  return nonce
}

export function* has(nonce: string, scope = "s"): Unit<boolean> {
  return (yield* rows(one, { scope, nonce })).length === 1
}

export function* list(scope = "s"): Unit<string[]> {
  return (yield* rows(ofScope, { scope })).map((row) => row.nonce)
}

/** Empty for a row that is not there. */
export function* payloadOf(nonce: string): Unit<string> {
  return (yield* first(payload, { nonce }))?.text ?? ""
}

export function* setPayload(nonce: string, text: string): Unit<void> {
  yield* changed(replacePayload, { nonce, payload: text })
}

export function openNonces(path: string): Database {
  const database = openDatabase(path)
  migrate(database, "2026-01-01T00:00:00.000Z", migrations.slice(0, 1))
  return database
}

export function withDirectory<T>(use: (directory: string) => Promise<T>): () => Promise<T> {
  return async () => {
    const directory = mkdtempSync(join(tmpdir(), "bizauth-store-"))
    try {
      return await use(directory)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }
}
