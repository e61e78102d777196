/**
 * The operator's suppressions for screening. A running service polls for new and revoked ones every second. Each answer checks the expiry
 * itself, so the polling interval does not affect it.
 */

import type { Log } from "../../base/log.ts"
import type { Machine } from "../../base/machine.ts"
import { periodic, type Worker } from "../../base/worker.ts"
import { digestOf } from "../../core/digest.ts"
import { formatInstant } from "../../core/time.ts"
import type { Store } from "../../store/engine/unit.ts"
import { type SuppressionRow, suppressionGeneration, suppressionsInForce } from "../../store/sources/suppressions.ts"
import {
  type ScreenedParty,
  type Suppression,
  type SuppressionBook,
  screenedPartyDigest,
} from "../screening/suppress.ts"

const POLL_EVERY_MS = 1000

interface BookParts {
  readonly store: Store
  readonly machine: Machine
  readonly log: Log
}

export async function openSuppressions(
  parts: BookParts,
): Promise<{ readonly suppressions: () => SuppressionBook; readonly worker: Worker }> {
  const { store, machine, log } = parts
  let loaded = await load(store, machine.now())
  async function poll(): Promise<void> {
    if ((await store.read(suppressionGeneration)) === loaded.generation) return
    loaded = await load(store, machine.now())
    log.info("suppressions_reloaded", { in_force: loaded.total })
  }
  return { suppressions: () => loaded.book, worker: periodic("suppressions", POLL_EVERY_MS, poll, { machine, log }) }
}

/** Returns the suppressions in force at `now` (ms), and their generation. */
async function load(store: Store, now: number) {
  const at = formatInstant(now)
  const { generation, rows } = await store.read(function* () {
    return { generation: yield* suppressionGeneration(), rows: yield* suppressionsInForce(at) }
  })
  return { generation, total: rows.length, book: bookOf(rows) }
}

export async function loadSuppressions(store: Store, now: number): Promise<SuppressionBook> {
  return (await load(store, now)).book
}

/**
 * Computes the digest of each party again. A release that folds names better must not lose a suppression, and must not keep one for a name
 * that it reads differently. Leaves out a suppression whose name cannot be read.
 */
export function bookOf(rows: readonly SuppressionRow[]): SuppressionBook {
  const book = new Map<string, Suppression[]>()
  for (const row of rows) {
    const partyDigest = screenedPartyDigest(JSON.parse(row.party) as ScreenedParty)
    if (partyDigest === null) continue
    const { suppressionId, sourceId, entryId, entryHash, createdAt, expiresAt } = row
    const recordDigest = recordDigestOf(row)
    const one = { suppressionId, partyDigest, sourceId, entryId, entryHash, recordDigest, createdAt, expiresAt }
    book.set(partyDigest, [...(book.get(partyDigest) ?? []), one])
  }
  return book
}

/** Returns the digest that evidence names for the record. With it an operator can prove later which record was used. */
export function recordDigestOf(row: SuppressionRow): string {
  return digestOf({
    form: "svc.suppression.v1",
    suppression_id: row.suppressionId,
    party_digest: row.partyDigest,
    source_id: row.sourceId,
    entry_id: row.entryId,
    entry_hash: row.entryHash,
    author: row.author,
    reason: row.reason,
    created_at: row.createdAt,
    expires_at: row.expiresAt,
  })
}
