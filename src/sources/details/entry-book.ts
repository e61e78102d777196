/**
 * The details of the snapshots that a running service answers from. A decision never waits for them and never depends on them: a hit whose
 * details are missing or damaged has none, and the log says so once for each snapshot.
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
  /** Builds the details of a snapshot that has none, in a thread. */
  readonly build: (task: DetailsTask, signal: AbortSignal) => Promise<BuiltDetails>
}

/** The snapshot in use, and the one before: a decision that has begun may name it. */
const KEPT_OF_A_SOURCE = 2

type Row = Pick<SnapshotRow, "sourceId" | "snapshotId" | "rawSha256">

export class EntryBook implements ListedEntries {
  /** By snapshot id, the oldest first. */
  readonly #readers = new Map<string, { readonly sourceId: string; readonly reader: DetailsReader }>()
  /** Ids of the snapshots that the log names already. */
  readonly #told = new Set<string>()
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
        this.#tell(row, fault)
        this.#buildOnce(row)
      }
    }
  }

  entryOf(sourceId: string, snapshotId: string, entryId: string) {
    const found = this.#readers.get(snapshotId)?.reader.read(entryId)
    if (found?.details) return { detailsVersion: detailsVersionOf(sourceId), details: found.details }
    this.#tell({ sourceId, snapshotId }, found?.fault ?? `it has no entry ${entryId}`)
    return null
  }

  /** Resolves when every build that was begun has ended. */
  built(): Promise<void> {
    return this.#building
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#building
    for (const { reader } of this.#readers.values()) reader.close()
    this.#readers.clear()
  }

  #use(row: Row, reader: DetailsReader): void {
    this.#readers.set(row.snapshotId, { sourceId: row.sourceId, reader })
    const ofSource = [...this.#readers].filter(([, { sourceId }]) => sourceId === row.sourceId)
    for (const [snapshotId, one] of ofSource.slice(0, -KEPT_OF_A_SOURCE)) {
      one.reader.close()
      this.#readers.delete(snapshotId)
    }
  }

  #tell({ sourceId, snapshotId }: Pick<Row, "sourceId" | "snapshotId">, why: string): void {
    if (this.#told.has(snapshotId)) return
    this.#told.add(snapshotId)
    this.parts.log.warn("entry_details_unusable", { source_id: sourceId, snapshot_id: snapshotId, why })
  }

  /** One after the other, and once for each snapshot: the next start, or the next import, tries again. */
  #buildOnce(row: Row): void {
    if (this.#tried.has(row.snapshotId)) return
    this.#tried.add(row.snapshotId)
    this.#building = this.#building.then(() => this.#build(row))
  }

  async #build(row: Row): Promise<void> {
    const { signal } = this.#stopping
    const about = { source_id: row.sourceId, snapshot_id: row.snapshotId }
    try {
      const { reader, fault } = await buildDetailsOf(this.parts, row, (task) => this.parts.build(task, signal))
      if (reader) {
        this.#use(row, reader)
        this.parts.log.info("entry_details_built", about)
      } else this.parts.log.error("entry_details_not_built", { ...about, why: fault })
    } catch (error) {
      if (signal.aborted) return
      const why = error instanceof Error ? error.message : String(error)
      this.parts.log.error("entry_details_not_built", { ...about, why })
    }
  }
}
