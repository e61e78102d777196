/**
 * The snapshots of a board where processes on several machines share the database. An import on one machine makes a snapshot active for all of them;
 * each takes its bytes from the database. Until it has them it answers from the one that it has, for a limited time: after that its lists say that
 * they are UNAVAILABLE, and nothing is sold with them.
 */
import { formatInstant, instant } from "../../core/time.ts"
import { recordAnswered } from "../../store/sources/instance-snapshots.ts"
import { type Activation, activations, filesOfSnapshot } from "../../store/sources/list-bytes.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import { ImportBusy, withImportLock } from "../import/import-lock.ts"
import { isHere, isPassing, receiveSnapshot } from "../machines/receive-snapshot.ts"
import { LISTS_LOCK, type Shared } from "../machines/shared-database.ts"
import { uploadActive } from "../machines/upload-snapshot.ts"
import type { Lack, Lacks } from "./judged-age.ts"
import type { SnapshotsPlace } from "./load-snapshots.ts"

export interface BoardSharing {
  readonly shared: Shared
  /** Names this process, from its start to its end. */
  readonly instanceId: string
  /** How long after an activation a process may answer from another snapshot, in milliseconds. */
  readonly skewMs: number
}

/** The snapshots in use, by source id. */
type Used = ReadonlyMap<string, { readonly row: SnapshotRow }>

const NONE: Lacks = new Map()
/** After a failure the next try comes after one round, then two, four and so on, but never more than this. */
const ROUNDS_MAX = 8

export class SharedSnapshots {
  private active: readonly SnapshotRow[] = []
  private activated: ReadonlyMap<string, Activation> = new Map()
  /** Snapshots that are active and not usable here, by id. */
  private readonly missing = new Map<string, SnapshotRow>()
  /** Ids of snapshots whose folder has other bytes than its row states. */
  private readonly damaged = new Set<string>()
  /** Ids of damaged snapshots that were taken anew. If that did not help, nothing will. */
  private readonly retaken = new Set<string>()
  /** Ids of snapshots whose bytes the database has. */
  private readonly stored = new Set<string>()
  private readonly answered = new Map<string, string>()
  private failures = 0
  private roundsToWait = 0

  constructor(
    private readonly place: SnapshotsPlace,
    private readonly sharing: BoardSharing,
  ) {}

  /** Whether an active snapshot is not usable here yet. */
  get isIncomplete(): boolean {
    return this.missing.size > 0
  }

  /**
   * Takes the snapshots that are missing, and returns the rows to answer from: for each list its active snapshot; while that cannot be taken, the one
   * in use; and no row if none is in use. Never rejects for a fault that passes.
   */
  async usable(active: readonly SnapshotRow[], used: Used): Promise<readonly SnapshotRow[]> {
    const known = await this.place.store.read(activations)
    this.activated = new Map(known.map((one) => [one.sourceId, one]))
    this.active = active
    this.missing.clear()
    for (const row of active) if (!this.isUsable(row)) this.missing.set(row.snapshotId, row)
    await this.receive()
    await this.offer()
    return active.flatMap((row) => (this.missing.has(row.snapshotId) ? (used.get(row.sourceId)?.row ?? []) : row))
  }

  /** The bytes of this snapshot on the disk cannot be used. Returns whether a later round takes them anew. */
  noteFault(snapshotId: string): boolean {
    const row = this.active.find((one) => one.snapshotId === snapshotId)
    if (!row || !this.stored.has(snapshotId) || this.retaken.has(snapshotId)) return false
    this.retaken.add(snapshotId)
    this.damaged.add(snapshotId)
    this.missing.set(snapshotId, row)
    return true
  }

  /** What this machine lacks, for lists that it must not answer from. `at` in milliseconds. */
  lacks(used: Used, at: number): Lacks {
    let lacks: Map<string, Lack> | null = null
    for (const row of this.active) {
      const { sourceId, snapshotId } = row
      const inUse = used.get(sourceId)?.row
      if (inUse?.snapshotId === snapshotId) continue
      if (inUse && at - this.activeSince(row) <= this.sharing.skewMs) continue
      lacks ??= new Map()
      lacks.set(sourceId, inUse ? "SNAPSHOT_BEHIND" : "SNAPSHOT_NOT_HERE")
    }
    return lacks ?? NONE
  }

  /** Records from which snapshots this process answers, if they changed. `at` in milliseconds. */
  async record(used: Used, at: number): Promise<void> {
    const { instanceId } = this.sharing
    const rows = [...used.values()].map(({ row }) => row)
    const changed = rows.filter(({ sourceId, snapshotId }) => this.answered.get(sourceId) !== snapshotId)
    const left = [...this.answered.keys()].filter((sourceId) => !used.has(sourceId))
    if (changed.length === 0 && left.length === 0) return
    await this.place.store.run(() => recordAnswered({ instanceId, answered: changed, left }, formatInstant(at)))
    for (const { sourceId, snapshotId } of changed) this.answered.set(sourceId, snapshotId)
    for (const sourceId of left) this.answered.delete(sourceId)
  }

  private isUsable(row: SnapshotRow): boolean {
    return isHere(this.place.snapshotsDirectory, row) && !this.damaged.has(row.snapshotId)
  }

  /** In milliseconds. A snapshot of a database that was moved from a file has no activation. */
  private activeSince({ sourceId, snapshotId, importedAt }: SnapshotRow): number {
    const known = this.activated.get(sourceId)
    return instant(known?.snapshotId === snapshotId ? known.activatedAt : importedAt)
  }

  private async receive(): Promise<void> {
    if (this.missing.size === 0) {
      this.failures = 0
      this.roundsToWait = 0
      return
    }
    if (this.roundsToWait > 0) {
      this.roundsToWait--
      return
    }
    const { store, snapshotsDirectory: root, log } = this.place
    let isFailing = false
    for (const row of [...this.missing.values()]) {
      const about = { source_id: row.sourceId, snapshot_id: row.snapshotId }
      try {
        await receiveSnapshot({ store, root }, row)
        this.damaged.delete(row.snapshotId)
        this.missing.delete(row.snapshotId)
        this.stored.add(row.snapshotId)
        log.info("snapshot_received", about)
      } catch (error) {
        if (!isPassing(error)) throw error
        isFailing = true
        log.error("snapshot_not_received", { ...about, why: error.message })
      }
    }
    this.failures = isFailing ? this.failures + 1 : 0
    this.roundsToWait = isFailing ? Math.min(2 ** (this.failures - 1), ROUNDS_MAX) - 1 : 0
  }

  /** Stores the bytes of active snapshots that the database lacks and this machine has. */
  private async offer(): Promise<void> {
    const { store, snapshotsDirectory: root, log } = this.place
    for (const row of this.active) {
      const { sourceId, snapshotId } = row
      if (this.stored.has(snapshotId) || this.missing.has(snapshotId)) continue
      try {
        const isStored = (await store.read(() => filesOfSnapshot(snapshotId))).length > 0
        const lock = { shared: this.sharing.shared, name: LISTS_LOCK }
        if (!isStored && (await withImportLock(root, () => uploadActive({ store, root }, row), lock)))
          log.info("snapshot_stored", { source_id: sourceId, snapshot_id: snapshotId })
        this.stored.add(snapshotId)
      } catch (error) {
        if (!isPassing(error)) throw error
        if (!(error instanceof ImportBusy))
          log.warn("snapshot_not_stored", { source_id: sourceId, snapshot_id: snapshotId, why: error.message })
      }
    }
  }
}
