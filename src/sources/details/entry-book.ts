/**
 * The details of the snapshots that a running service answers from. A decision never waits for them and never depends on them: a hit whose
 * details are missing or damaged has none, the log says so once for each file, and the file is built again.
 */
import type { EntryDetails } from "../../../schemas/entry-details.ts"
import type { Log } from "../../base/log.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import type { BuiltDetails, DetailsTask } from "./build-details.ts"
import type { DetailsReader } from "./details-file.ts"
import { buildDetailsOf, type DetailsPlace, detailsVersionOf, openDetailsOf } from "./provide-details.ts"

/** What a decision asks for the details of a hit. */
export interface ListedEntries {
  /** Null if there are none. Never throws for a missing or damaged file. */
  entryOf(
    sourceId: string,
    snapshotId: string,
    entryId: string,
  ): { readonly detailsVersion: string; readonly details: EntryDetails } | null
}

interface EntryBookParts extends DetailsPlace {
  readonly log: Log
  /** Builds the details of a snapshot in a thread. */
  readonly build: (task: DetailsTask, signal: AbortSignal) => Promise<BuiltDetails>
}

/** The snapshot in use, and the one before: a decision that has begun may name it. */
const KEPT_OF_A_SOURCE = 2

type Row = Pick<SnapshotRow, "sourceId" | "snapshotId" | "rawSha256">

/** Why there is no entry, and why a file is built: each is logged and tried by itself. */
type Want = "FILE" | "LINE" | "ENTRY"

export class EntryBook implements ListedEntries {
  /** By snapshot id, the oldest first. */
  readonly #readers = new Map<string, { readonly row: Row; readonly reader: DetailsReader }>()
  /** What the log names already of the file in use of each snapshot. */
  readonly #told = new Map<string, Set<Want>>()
  /** Snapshots, and what they were built for. */
  readonly #tried = new Set<string>()
  readonly #stopping = new AbortController()
  #building: Promise<void> = Promise.resolve()

  constructor(private readonly parts: EntryBookParts) {}

  /** Opens the details of these snapshots. Those that are missing or damaged are built meanwhile, without waiting. */
  async open(rows: readonly Row[]): Promise<void> {
    for (const row of rows) {
      if (this.#readers.has(row.snapshotId)) continue
      const { reader, fault } = await openDetailsOf(this.parts, row)
      if (reader) this.#use(row, reader)
      else {
        this.#tell(row, "FILE", fault)
        this.#buildOnce(row, "FILE")
      }
    }
  }

  /** The file of a damaged entry is built again meanwhile. */
  entryOf(sourceId: string, snapshotId: string, entryId: string) {
    const used = this.#readers.get(snapshotId)
    const found = used?.reader.read(entryId)
    if (found?.details) return { detailsVersion: detailsVersionOf(sourceId), details: found.details }
    if (used && found) {
      this.#tell(used.row, "LINE", found.fault)
      this.#buildOnce(used.row, "LINE")
    } else if (used) this.#tell(used.row, "ENTRY", `it has no entry ${entryId}`)
    else this.#tell({ sourceId, snapshotId }, "FILE", "it is not open")
    return null
  }

  /** Resolves when every build that was begun has ended. */
  built(): Promise<void> {
    return this.#building
  }

  /** The same, and no other begins: a command closes its store. */
  async finishBuilding(): Promise<void> {
    await this.#building
    this.#stopping.abort()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#building
    for (const { reader } of this.#readers.values()) reader.close()
    this.#readers.clear()
  }

  #use(row: Row, reader: DetailsReader): void {
    this.#readers.get(row.snapshotId)?.reader.close()
    this.#readers.set(row.snapshotId, { row, reader })
    this.#told.delete(row.snapshotId)
    const ofSource = [...this.#readers].filter(([, used]) => used.row.sourceId === row.sourceId)
    for (const [snapshotId, one] of ofSource.slice(0, -KEPT_OF_A_SOURCE)) {
      one.reader.close()
      this.#readers.delete(snapshotId)
    }
  }

  #tell({ sourceId, snapshotId }: Pick<Row, "sourceId" | "snapshotId">, want: Want, why: string): void {
    const told = this.#told.get(snapshotId) ?? new Set()
    if (told.has(want)) return
    this.#told.set(snapshotId, told.add(want))
    this.parts.log.warn("entry_details_unusable", { source_id: sourceId, snapshot_id: snapshotId, why })
  }

  /**
   * One after the other. Once for each snapshot that has no file, and once for each whose file was damaged later: the next start, or the next
   * import, tries again.
   */
  #buildOnce(row: Row, want: Want): void {
    const name = `${row.snapshotId} ${want}`
    if (this.#stopping.signal.aborted || this.#tried.has(name)) return
    this.#tried.add(name)
    this.#building = this.#building.then(() => this.#build(row, want))
  }

  async #build(row: Row, want: Want): Promise<void> {
    const { signal } = this.#stopping
    const about = { source_id: row.sourceId, snapshot_id: row.snapshotId }
    try {
      const build = (task: DetailsTask) => this.parts.build(task, signal)
      const { reader, fault } = await buildDetailsOf(this.parts, row, build, signal)
      if (reader) {
        // Later snapshots of the list may have taken the place of this one.
        if (want === "LINE" && !this.#readers.has(row.snapshotId)) reader.close()
        else this.#use(row, reader)
        this.parts.log.info("entry_details_built", about)
      } else this.parts.log.error("entry_details_not_built", { ...about, why: fault })
    } catch (error) {
      if (signal.aborted) return
      const why = error instanceof Error ? error.message : String(error)
      this.parts.log.error("entry_details_not_built", { ...about, why })
    }
  }
}
