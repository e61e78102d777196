/**
 * Rebuilds the index that a decision was screened with, from the publishers' bytes that were kept: parsed again by the same parser, with
 * the removed entries that were still screened. It does not use the database, so a copy of the snapshots folder is enough.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { SourceFact } from "../../../schemas/source-fact.ts"
import { digestBytes, digestFiles } from "../../core/digest.ts"
import { instant } from "../../core/time.ts"
import { keptFiles } from "../import/kept-files.ts"
import { stillScreened } from "../import/removed-parties.ts"
import { PARTIES_FILE, readStoredParties, type StoredParties, snapshotFolder } from "../import/snapshot-files.ts"
import { adapterOf } from "../list-registry.ts"
import type { SourceFile } from "../records/adapter.ts"
import { InputError } from "../records/input-error.ts"
import type { Party } from "../records/party.ts"
import { NameIndex } from "../screening/name-index.ts"
import type { Scorer } from "../screening/scorer.ts"

/** A snapshot as the facts of a decision name it. */
interface UsedSource {
  readonly sourceId: string
  readonly snapshotId: string
  readonly rawSha256: string
  readonly sourceVersion: string
  readonly parserVersion: string
}

export function usedSource(fact: SourceFact): UsedSource {
  return {
    sourceId: fact.source_id,
    snapshotId: fact.snapshot_id,
    rawSha256: fact.raw_sha256,
    sourceVersion: fact.source_version,
    parserVersion: fact.parser_version,
  }
}

/** DIFFERS: the kept bytes are not the ones used. ABSENT: this machine or program cannot prove either. */
type KeptState =
  | { readonly state: "SAME"; readonly stored: StoredParties }
  | { readonly state: "DIFFERS" | "ABSENT"; readonly why: string }

const SNAPSHOT_ID = /^snp_[A-Za-z0-9_-]{22}$/
const differs = (why: string): KeptState => ({ state: "DIFFERS", why })
const absent = (why: string): KeptState => ({ state: "ABSENT", why })

/** `root` is the folder of all snapshots. The facts come from a file, so nothing in them may lead out of that folder. */
export function readKept(root: string, used: UsedSource): KeptState {
  const adapter = adapterOf(used.sourceId)
  if (!adapter || !SNAPSHOT_ID.test(used.snapshotId)) return absent("no snapshot of a source this program reads")
  const parser = [adapter, ...adapter.earlierParsers].find((one) => one.parserVersion === used.parserVersion)
  if (!parser) return absent(`read by ${used.parserVersion}; this program has ${adapter.parserVersion}`)
  const folder = snapshotFolder(root, adapter.id, used.snapshotId)
  if (!existsSync(folder))
    return absent(
      `${used.snapshotId} is not kept here; where machines share a database, bizauth sources verify ${adapter.id} takes it from there`,
    )
  let files: readonly SourceFile[]
  let stored: StoredParties
  try {
    files = keptFiles(folder, adapter.id)
    stored = readStoredParties(readFileSync(join(folder, PARTIES_FILE)))
  } catch (error) {
    const isDisk = error instanceof Error && "code" in error && typeof error.code === "string"
    if (error instanceof InputError || isDisk || error instanceof SyntaxError) return differs((error as Error).message)
    throw error
  }
  const named = files.map(({ name, bytes }) => ({ name, sha256: digestBytes(bytes).slice("sha256:".length) }))
  if (digestFiles(named) !== used.rawSha256) return differs("the kept bytes are not those that were used")
  const parsed = parser.parse(files)
  if (parsed.version !== used.sourceVersion) return differs("the kept bytes are of another version than stated")
  if (!sameParties(parsed.parties, stored.parties)) return differs("the parties kept beside the bytes are not theirs")
  return { state: "SAME", stored: { parties: parsed.parties, removed: stored.removed } }
}

const sameParties = (one: readonly Party[], other: readonly Party[]) => JSON.stringify(one) === JSON.stringify(other)

export interface KeptSource extends UsedSource {
  readonly stored: StoredParties
}

/** Builds the index as the service had it at `at` (RFC 3339), in the service's source order, for the scorer of that time. */
export function rebuildIndex(kept: readonly KeptSource[], at: string, scorer: Scorer): NameIndex {
  const now = instant(at)
  const ordered = [...kept].sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1))
  const used = {
    snapshotIds: Object.fromEntries(ordered.map(({ sourceId, snapshotId }) => [sourceId, snapshotId])),
    parties: ordered.flatMap(({ stored }) => [
      ...stored.parties,
      ...stillScreened(stored.removed, now).map(({ party }) => party),
    ]),
  }
  return new NameIndex(used, scorer)
}
