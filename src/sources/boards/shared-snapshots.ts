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
import { BackOff } from "./back-off.ts"
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
const DOUBLINGS_MAX = 3

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
  private readonly receiving = new BackOff(DOUBLINGS_MAX)
  private readonly offering = new BackOff(DOUBLINGS_MAX)

  constructor(
    private readonly place: SnapshotsPlace,
    private readonly sharing: BoardSharing,
    /** Ends what it takes and stores. */
    private readonly stopping: AbortSignal,
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
    return active.flatMap((row) => (this.missing.has(row.snapshotId) ? (used.get(row.sourceId)?.row ?? []) : row))
  }

  /** The bytes of this snapshot on the disk cannot be used. Returns whether a later round takes them anew. */
  noteFault(snapshotId: string): boolean {
    const row = this.active.find((one) => one.snapshotId === snapshotId)
    if (!row || this.retaken.has(snapshotId)) return false
    this.retaken.add(snapshotId)
    this.damaged.add(snapshotId)
    this.missing.set(snapshotId, row)
    return true
  }

  /** What this machine lacks, for lists that it must not answer from. `at`: milliseconds by the clock of this machine. */
  lacks(used: Used, at: number): Lacks {
    const now = this.sharing.shared.byDatabase(at)
    let lacks: Map<string, Lack> | null = null
    for (const row of this.active) {
      const { sourceId, snapshotId } = row
      const inUse = used.get(sourceId)?.row
      if (inUse?.snapshotId === snapshotId) continue
      if (inUse && now - this.activeSince(row) <= this.sharing.skewMs) continue
      lacks ??= new Map()
      lacks.set(sourceId, inUse ? "SNAPSHOT_BEHIND" : "SNAPSHOT_NOT_HERE")
    }
    return lacks ?? NONE
  }

  /** Records from which snapshots this process answers, if they changed. `at`: milliseconds by the clock of this machine. */
  async record(used: Used, at: number): Promise<void> {
    const { instanceId } = this.sharing
    const rows = [...used.values()].map(({ row }) => row)
    const changed = rows.filter(({ sourceId, snapshotId }) => this.answered.get(sourceId) !== snapshotId)
    const left = [...this.answered.keys()].filter((sourceId) => !used.has(sourceId))
    if (changed.length === 0 && left.length === 0) return
    const since = formatInstant(this.sharing.shared.byDatabase(at))
    await this.place.store.run(() => recordAnswered({ instanceId, answered: changed, left }, since))
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
      this.receiving.succeeded()
      return
    }
    if (this.receiving.waits()) return
    const { store, snapshotsDirectory: root, log } = this.place
    let isWhole = true
    for (const row of [...this.missing.values()]) {
      const about = { source_id: row.sourceId, snapshot_id: row.snapshotId }
      try {
        await receiveSnapshot({ store, root, signal: this.stopping }, row)
        this.damaged.delete(row.snapshotId)
        this.missing.delete(row.snapshotId)
        this.stored.add(row.snapshotId)
        log.info("snapshot_received", about)
      } catch (error) {
        if (this.stopping.aborted) return
        if (!isPassing(error)) throw error
        isWhole = false
        log.error("snapshot_not_received", { ...about, why: error.message })
      }
    }
    if (isWhole) this.receiving.succeeded()
    else this.receiving.failed()
  }

  /**
   * Stores the bytes of active snapshots that the database lacks and this machine has, such as after the database moved from a file. That may take
   * long, so call it only while the board is in use. Never rejects for a fault that passes.
   */
  async offer(): Promise<void> {
    const open = this.active.filter(({ snapshotId }) => !this.stored.has(snapshotId) && !this.missing.has(snapshotId))
    if (open.length === 0 || this.offering.waits()) return
    let isWhole = true
    for (const row of open) {
      if (await this.store(row)) this.stored.add(row.snapshotId)
      else isWhole = false
    }
    if (isWhole) this.offering.succeeded()
    else this.offering.failed()
  }

  /** Returns whether the database has the bytes of the snapshot now. */
  private async store({ sourceId, snapshotId }: SnapshotRow): Promise<boolean> {
    const { store, snapshotsDirectory: root, log } = this.place
    const about = { source_id: sourceId, snapshot_id: snapshotId }
    const place = { store, root, signal: this.stopping }
    const lock = { shared: this.sharing.shared, name: LISTS_LOCK }
    const isStored = async () => (await store.read(() => filesOfSnapshot(snapshotId))).length > 0
    try {
      if (await isStored()) return true
      const hasStored = await withImportLock(root, () => uploadActive(place, sourceId), lock)
      if (hasStored) log.info("snapshot_stored", about)
      return await isStored()
    } catch (error) {
      if (this.stopping.aborted) return false
      if (!isPassing(error)) throw error
      if (!(error instanceof ImportBusy)) log.warn("snapshot_not_stored", { ...about, why: error.message })
      return false
    }
  }
}
