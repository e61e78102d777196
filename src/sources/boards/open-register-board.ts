/**
 * The registers of a running service. The active snapshot of each stays open, and is replaced after another process imported or rolled
 * back. The bytes on disk are verified slowly in the background: verifying gigabytes at every start would keep the service down.
 */
import { existsSync } from "node:fs"
import { periodic, type Worker } from "../../base/worker.ts"
import {
  type AttemptRow,
  activeSnapshots,
  confirmedTimes,
  lastAttempts,
  type SnapshotRow,
  sourceGeneration,
} from "../../store/sources/sources.ts"
import { fileDigest } from "../import/copy-file.ts"
import { ImportBusy, withImportLock } from "../import/import-lock.ts"
import { registerPath } from "../import/new-records.ts"
import { type RegisterParts, registersReader } from "../import/read-register-again.ts"
import { RegisterDamaged, RegisterReader } from "../import/register-file.ts"
import { registerSource } from "../import/source.ts"
import { isHere } from "../machines/receive-snapshot.ts"
import type { RegisterAdapter, RegisterEntry } from "../records/register-adapter.ts"
import type { RegisterId } from "../records/register-id.ts"
import { checksById, type SourceChecks } from "../records/source-rows.ts"
import { absentWayOut } from "./absent-snapshot.ts"
import { withConfirmedTimes } from "./confirmed-row.ts"
import { knownRegister } from "./known-source.ts"
import { healthRecorder } from "./record-health.ts"
import type { RegisterBoard, RegisterState } from "./register-board.ts"
import { lacksOf, sourceStates } from "./source-health.ts"

interface RegisterBoardParts extends RegisterParts {
  /** Whether the service fetches from publishers itself; default false. */
  readonly fetching?: boolean
}

const POLL_EVERY_MS = 1000
/** Pause between two chunks of a file that is being verified: about 50 MB a second. No request depends on it. */
const PROOF_PAUSE_MS = 5

interface Held {
  /** Replaced when its publisher confirms it; always a row of the same snapshot. */
  row: SnapshotRow
  readonly reader: RegisterReader
}

export async function openRegisterBoard(parts: RegisterBoardParts): Promise<{ board: RegisterBoard; worker: Worker }> {
  for (const adapter of parts.adapters) await sweep(parts, adapter)
  const registers = await openRegisters(parts)
  const record = healthRecorder(parts.store, parts.log)
  const poll = async () => {
    await registers.poll()
    const now = parts.machine.now()
    // A register that was never imported has no health to record.
    const wanted = registers.states(now).filter(({ lastAttempt }) => lastAttempt !== null)
    await record(wanted, now)
  }
  const polling = periodic("registers", POLL_EVERY_MS, poll, parts)
  const reading = registersReader(parts)
  const proving = periodic("register proof", POLL_EVERY_MS, () => registers.prove(), parts)
  const worker: Worker = {
    name: "registers",
    start() {
      polling.start()
      proving.start()
      reading.start()
    },
    async stop() {
      registers.stopProof()
      await polling.stop()
      await proving.stop()
      await reading.stop()
      registers.close()
    },
  }
  return { board: registers, worker }
}

/** Opens the current active snapshots until they are closed. Does not poll for newer ones. */
export async function openRegisters(parts: RegisterBoardParts): Promise<OpenRegisters> {
  const registers = new OpenRegisters(parts)
  await registers.poll()
  return registers
}

/** A killed import may leave gigabytes, and the next import may be a month away. */
async function sweep({ store, root, log }: RegisterBoardParts, adapter: RegisterAdapter): Promise<void> {
  const { kept } = registerSource(adapter)
  const folder = kept.lockFolder(root)
  if (!existsSync(folder)) return
  try {
    await withImportLock(folder, () => kept.removeLeftovers({ store, root }))
  } catch (error) {
    // Another import runs, or the disk is read-only: neither prevents the service from starting.
    if (!(error instanceof ImportBusy)) log.warn("register_not_swept", { source_id: adapter.id, why: String(error) })
  }
}

class OpenRegisters implements RegisterBoard {
  private stopping = false
  private generation = -1
  private readonly held = new Map<RegisterId, Held>()
  private attempts: ReadonlyMap<string, AttemptRow> = new Map()
  private checks: SourceChecks = new Map()
  /** Snapshots whose bytes differ from the imported ones. They are not opened again. */
  private readonly damaged = new Set<string>()
  private readonly proven = new Set<string>()
  /** Active snapshots that another machine imported into the shared database and that have no folder here. */
  private readonly missing = new Map<RegisterId, SnapshotRow>()

  constructor(private readonly parts: RegisterBoardParts) {}

  states(at: number): readonly RegisterState[] {
    const { adapters, disabled, fetching = false } = this.parts
    const { held: snapshots, attempts, checks } = this
    const lacks = lacksOf(this.missing.values())
    return sourceStates(adapters.map(knownRegister), { snapshots, attempts, checks }, { disabled, fetching, lacks, at })
  }

  find(id: RegisterId, scheme: string, value: string): RegisterEntry | null {
    const held = this.held.get(id)
    const adapter = this.parts.adapters.find((one) => one.id === id)
    if (!held || !adapter || this.isDisabled(id)) return null
    try {
      return findEntry(held.reader, adapter, scheme, value)
    } catch (error) {
      if (error instanceof RegisterDamaged) this.giveUp(held, error.message)
      throw error
    }
  }

  /** The open snapshots, by source id. */
  rows(): ReadonlyMap<string, { readonly row: SnapshotRow }> {
    return new Map(this.held)
  }

  async poll(): Promise<void> {
    const { store } = this.parts
    const seen = await store.read(function* () {
      return { generation: yield* sourceGeneration(), checks: yield* checksById(), times: yield* confirmedTimes() }
    })
    this.checks = seen.checks
    for (const held of this.held.values()) held.row = withConfirmedTimes(held.row, seen.times)
    if (seen.generation === this.generation) {
      this.openArrived()
      return
    }
    const { generation, rows, attempts } = await store.read(function* () {
      return { generation: yield* sourceGeneration(), rows: yield* activeSnapshots(), attempts: yield* lastAttempts() }
    })
    this.generation = generation
    this.attempts = new Map(attempts.map((attempt) => [attempt.sourceId, attempt]))
    for (const adapter of this.parts.adapters) {
      this.exchange(adapter, rows.find(({ sourceId }) => sourceId === adapter.id) ?? null)
    }
  }

  /** Compares the bytes of one open, unverified register with the digest from its import. */
  async prove(): Promise<void> {
    const held = [...this.held.values()].find(({ row }) => !this.proven.has(row.snapshotId))
    if (!held) return
    const { row } = held
    const fault = await this.faultOf(held)
    if (fault === "STOPPED") return
    this.proven.add(row.snapshotId)
    if (fault !== null) this.giveUp(held, fault)
    else this.parts.log.info("register_proven", { source_id: row.sourceId, snapshot_id: row.snapshotId })
  }

  private async faultOf(held: Held): Promise<string | "STOPPED" | null> {
    const { row } = held
    try {
      const digest = await fileDigest(registerPath(this.parts.root, row), async () => {
        await new Promise((resolve) => setTimeout(resolve, PROOF_PAUSE_MS))
        return !this.stopping && this.held.get(row.sourceId as RegisterId) === held
      })
      if (digest === null) return "STOPPED"
      return `sha256:${digest}` === row.partiesSha256 ? null : "the register has other bytes than recorded"
    } catch (error) {
      if (error instanceof Error && "code" in error && typeof error.code === "string") return error.message
      throw error
    }
  }

  stopProof(): void {
    this.stopping = true
  }

  close(): void {
    for (const { reader } of this.held.values()) reader.close()
    this.held.clear()
  }

  /** A register that somebody copied or imported here meanwhile. */
  private openArrived(): void {
    for (const [id, row] of this.missing) {
      const adapter = this.parts.adapters.find((one) => one.id === id)
      if (adapter && isHere(this.parts.root, row)) this.exchange(adapter, row)
    }
  }

  private isDisabled(id: RegisterId): boolean {
    return this.parts.disabled.includes(id)
  }

  /** Opens the new file before it closes the old one. No look-up can run in between, and if the open fails the old file stays. */
  private exchange(adapter: RegisterAdapter, row: SnapshotRow | null): void {
    const { id } = adapter
    const old = this.held.get(id)
    if (old?.row.snapshotId === row?.snapshotId) return
    const isAbsent = row !== null && this.parts.shared && !isHere(this.parts.root, row)
    if (isAbsent) this.noteAbsent(id, row)
    else this.missing.delete(id)
    const next = row && !isAbsent && !this.damaged.has(row.snapshotId) ? this.open(row, adapter) : null
    if (next) this.held.set(id, next)
    else this.held.delete(id)
    old?.reader.close()
    if (next) this.parts.log.info("register_opened", { source_id: id, entries: next.row.entries })
  }

  private open(row: SnapshotRow, { parserVersion }: RegisterAdapter): Held | null {
    if (majorOf(row.parserVersion) !== majorOf(parserVersion)) {
      // Its records may lack members that this release reads, and absent is not false.
      this.tellDamage(
        row,
        `read by ${row.parserVersion}, this release has ${parserVersion}: a running service reads its kept bytes again`,
      )
      return null
    }
    if (row.parserVersion !== parserVersion)
      this.parts.log.info("register_read_by_earlier_parser", {
        ...{ source_id: row.sourceId, snapshot_id: row.snapshotId, read_by: row.parserVersion, parser: parserVersion },
        way_out: "its kept bytes are read again now; register_read_again or register_not_read_again follows",
      })
    try {
      return { row, reader: new RegisterReader(registerPath(this.parts.root, row)) }
    } catch (error) {
      if (!(error instanceof RegisterDamaged)) throw error
      this.tellDamage(row, error.message)
      return null
    }
  }

  /** Logs it once: every change of any source comes here. */
  private noteAbsent(id: RegisterId, row: SnapshotRow): void {
    const isKnown = this.missing.get(id)?.snapshotId === row.snapshotId
    this.missing.set(id, row)
    if (isKnown) return
    const { root, log } = this.parts
    const way_out = absentWayOut(root, row)
    log.error("register_not_here", { source_id: id, snapshot_id: row.snapshotId, way_out })
  }

  /** Makes the register UNAVAILABLE. With damaged bytes even "not found" would be a guess. */
  private giveUp(held: Held, why: string): void {
    const { row, reader } = held
    this.damaged.add(row.snapshotId)
    this.tellDamage(row, why)
    if (this.held.get(row.sourceId as RegisterId) !== held) return
    this.held.delete(row.sourceId as RegisterId)
    reader.close()
  }

  private tellDamage({ sourceId, snapshotId }: SnapshotRow, why: string): void {
    this.parts.log.error("snapshot_unreadable", { source_id: sourceId, snapshot_id: snapshotId, why })
  }
}

/** Returns `uk-companies-house-bulk/1` for `uk-companies-house-bulk/1.2.0`. */
function majorOf(parserVersion: string): string {
  return parserVersion.split(".", 1)[0] ?? ""
}

/** Returns null if no such entry exists or the key is invalid. Throws {@link RegisterDamaged}. */
function findEntry(
  reader: RegisterReader,
  adapter: Pick<RegisterAdapter, "keyScheme" | "canonicalKey">,
  scheme: string,
  value: string,
): RegisterEntry | null {
  const key = adapter.canonicalKey(scheme, value)
  if (key === null) return null
  return scheme === adapter.keyScheme ? reader.findByKey(key) : reader.findByOther(scheme, key)
}
