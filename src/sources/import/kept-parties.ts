/** A list is kept in memory: all its files and parties are held at once, and an index of its names is built before it becomes active. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { stepsOf } from "../../base/long-work.ts"
import { digestBytes, digestFiles } from "../../core/digest.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import { type ListTables, readTables } from "../boards/list-tables.ts"
import { activateWithIndex, cleanIndexFolder } from "../boards/save-index.ts"
import { DetailsWriter } from "../details/details-file.ts"
import { carryOverFrom, withDetails } from "../details/imported-details.ts"
import { receiveLists } from "../machines/receive-snapshot.ts"
import { LISTS_LOCK } from "../machines/shared-database.ts"
import { removeUploads, sharedActivation } from "../machines/upload-snapshot.ts"
import type { Finding, Parsed, SourceAdapter, SourceFile } from "../records/adapter.ts"
import { type CountedWords, countedWords } from "../records/publisher-words.ts"
import { ImportBusy } from "./import-lock.ts"
import { judge } from "./judge.ts"
import { type Begun, type Kept, type KeptFile, type NewSnapshot, type Read, type Terms, UNCOMPARED } from "./kept.ts"
import { keptFiles } from "./kept-files.ts"
import { countRemovedParties, LIST_RULES, listCandidate } from "./list-rules.ts"
import type { Input, InputFile } from "./read-input.ts"
import { manifestFindings } from "./read-manifest.ts"
import { removeLeftovers } from "./remove-leftovers.ts"
import { type RemovedParty, removedParties } from "./removed-parties.ts"
import {
  type Manifest,
  type ReadSnapshot,
  readSnapshot,
  STAGING_PREFIX,
  snapshotFolder,
  writeSnapshot,
} from "./snapshot-files.ts"

const STEPS = ["READ", "COMPARE", "KEEP"] as const
const WORDS: Readonly<Record<(typeof STEPS)[number], string>> = {
  READ: "reading the files",
  COMPARE: "comparing with the list in use",
  KEEP: "storing the list and building the index of names",
}

/** A published snapshot that is not active yet. */
interface Published {
  /** Digest of the details. */
  readonly sha256: string
  readonly tables: ListTables
}

export function keptParties(adapter: SourceAdapter): Kept {
  const { detailsVersion } = adapter
  /** By snapshot id. */
  const published = new Map<string, Published>()
  return {
    // One index holds several lists, so their imports share one lock.
    lockFolder: (root) => root,
    lockName: LISTS_LOCK,
    async removeLeftovers(place) {
      if (place.shared) await removeUploads(place.store)
      await removeLeftovers(place, adapter.id)
      await cleanIndexFolder(place)
    },
    receiveMissing: receiveLists,
    bytesNeeded: () => 0,
    begin: (begun) => new NewParties(adapter, begun, published),
    faultOf: async (root, row) => readSnapshot(root, row).fault,
    async activate({ store, root, shared = null, work }, next, now, activateAlone) {
      const { snapshotId } = next
      const { sha256, tables } = published.get(snapshotId) ?? {}
      published.delete(snapshotId)
      const activate = sha256 ? withDetails(activateAlone, { snapshotId, detailsVersion, sha256 }) : activateAlone
      if (shared !== null) work?.step({ what: "storing the list in the database" })
      const stored = shared && (await sharedActivation({ store, root, shared }, next, activate))
      work?.step({ what: "building the index of names" })
      const indexed = { activate: stored?.unit ?? activate, tables }
      const isActive = await activateWithIndex({ store, root }, next, now, indexed)
      if (!isActive && stored && !(await stored.hasParts()))
        throw new ImportBusy(
          "another import began meanwhile and removed what this one had stored in the database; try again",
        )
      return isActive
    },
  }
}

class NewParties implements NewSnapshot {
  readonly #begin
  #files: readonly SourceFile[] = []
  #rawSha256 = ""
  #inputFindings: readonly Finding[] = []
  #parsed: Parsed | null = null
  #before: ReadSnapshot | null = null
  #removed: readonly RemovedParty[] = []
  /** The list as it will be screened: the rules search it, and the index takes it. */
  #tables: ListTables | null = null
  #details: DetailsWriter | null = null

  constructor(
    private readonly adapter: SourceAdapter,
    private readonly begun: Begun,
    private readonly published: Map<string, Published>,
  ) {
    this.#begin = stepsOf({ work: begun.work, steps: STEPS, words: WORDS, trace: () => {} })
  }

  async take({
    files,
    manifest,
    findings,
  }: Pick<Input, "files" | "manifest" | "findings">): Promise<readonly KeptFile[]> {
    this.#files = files.map(inMemory)
    this.#begin("READ", this.#size)
    const kept = this.#files.map(({ bytes, ...file }) => {
      return { ...file, sha256: digestBytes(bytes).slice("sha256:".length), bytes: bytes.length }
    })
    this.#rawSha256 = digestFiles(kept)
    this.#inputFindings = [...manifestFindings(manifest, kept), ...findings]
    return kept
  }

  async read(): Promise<Read> {
    const { root, snapshotId } = this.begun
    const { id: sourceId, detailsVersion } = this.adapter
    const staged = join(root, sourceId, `${STAGING_PREFIX}${snapshotId}.details`)
    const details = new DetailsWriter(staged, { sourceId, detailsVersion, rawSha256: this.#rawSha256 })
    this.#details = details
    this.#parsed = this.adapter.parse(this.#files, details.add)
    const { version, timestamp, timestampFrom, content, counts, words } = this.#parsed
    const { isReadable, entries } = listCandidate(this.adapter, this.#parsed, this.#inputFindings)
    return { version, timestamp, timestampFrom, content, entries, failed: 0, counts: { ...counts }, words, isReadable }
  }

  judge(terms: Terms | null, actives: readonly SnapshotRow[]): readonly Finding[] {
    this.#begin("COMPARE", this.#size)
    const { active, now, root } = this.begun
    const parsed = this.#read
    const before = active && readSnapshot(root, active)
    this.#before = before
    this.#removed = removedParties(before?.stored ?? null, parsed.parties, now)
    const candidate = {
      ...listCandidate(this.adapter, parsed, this.#inputFindings),
      ...(terms ?? UNCOMPARED),
      ...{ now, actives, tables: () => this.#listTables },
      wordsBefore: terms && active && this.#wordsOf(active, before?.fault === null),
    }
    if (terms === null || active === null || before === null) return judge(LIST_RULES, candidate, null)
    const removed = before.stored && countRemovedParties(before.stored.parties, parsed.parties)
    return judge(LIST_RULES, candidate, { row: active, fault: before.fault, removed })
  }

  async publish(manifest: Manifest): Promise<string> {
    this.#begin("KEEP", this.#size)
    const { root, snapshotId, active, store } = this.begun
    const { parties } = this.#read
    const removed = this.#removed
    const writer = this.#writer
    // Entries that were removed come from a snapshot whose bytes are whole.
    if (active && store && this.#before?.fault === null)
      await carryOverFrom({ store, root, adapter: this.adapter, active }, writer, removed)
    this.published.set(snapshotId, { sha256: writer.finish(), tables: this.#listTables })
    this.#details = null
    const stored = { parties, removed }
    const digest = writeSnapshot(root, { snapshotId, manifest, files: this.#files, stored, details: writer.path })
    return digest
  }

  /** A snapshot of an earlier release has no counted words, so its kept files are parsed for them. */
  #wordsOf(active: SnapshotRow, isSound: boolean): CountedWords | null {
    const known = countedWords(JSON.parse(active.counts) as Readonly<Record<string, number>>)
    if (known !== null || !isSound) return known
    const { id } = this.adapter
    return this.adapter.parse(keptFiles(snapshotFolder(this.begun.root, id, active.snapshotId), id)).words
  }

  /** The files are written only by `publish`. What it leaves if it is killed, the next import removes. */
  remove(): void {
    this.#details?.discard()
    this.#details = null
  }

  get #size(): { readonly size: number } {
    return { size: this.#files.reduce((sum, { bytes }) => sum + bytes.length, 0) }
  }

  get #writer(): DetailsWriter {
    if (this.#details === null) throw new TypeError("the files were not read")
    return this.#details
  }

  get #listTables(): ListTables {
    this.#tables ??= readTables({ parties: this.#read.parties, removed: this.#removed }, this.begun.now)
    return this.#tables
  }

  get #read(): Parsed {
    if (this.#parsed === null) throw new TypeError("the files were not read")
    return this.#parsed
  }
}

function inMemory(file: InputFile): SourceFile {
  if ("bytes" in file) return file
  const { path, ...facts } = file
  return { ...facts, bytes: new Uint8Array(readFileSync(path)) }
}
