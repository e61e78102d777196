/** The record of this process, from its start to its end, among those that serve the database. */
import { hostname } from "node:os"
import { VERSION } from "../base/build-facts.ts"
import type { Log } from "../base/log.ts"
import type { Machine } from "../base/machine.ts"
import { periodic, type Worker } from "../base/worker.ts"
import { formatInstant, SECOND } from "../core/time.ts"
import type { Engine } from "../store/engine/engine.ts"
import { isDatabaseAway } from "../store/engine/store-error.ts"
import { type Instance, recordInstance, removeInstance } from "../store/instances.ts"

const INSTANCE_ID_BYTES = 16
const BEAT_EVERY_MS = 5 * SECOND

interface InstanceParts {
  readonly engine: Pick<Engine, "store" | "serverClock">
  readonly machine: Pick<Machine, "now" | "random">
}

export class OwnInstance {
  /** Hexadecimal. */
  readonly id: string
  private startedAt: string | null = null
  private hasEnded = false
  /** Never rejects. */
  private lastBeat: Promise<unknown> = Promise.resolve()

  constructor(private readonly parts: InstanceParts) {
    this.id = Buffer.from(parts.machine.random(INSTANCE_ID_BYTES)).toString("hex")
  }

  /** Says that this process lives. Rejects as the store does if the database accepts no write. */
  async beat(): Promise<void> {
    if (this.hasEnded) return
    const seenAt = formatInstant(databaseNow(this.parts))
    this.startedAt ??= seenAt
    const row: Instance = {
      instanceId: this.id,
      host: hostname(),
      pid: process.pid,
      release: VERSION,
      startedAt: this.startedAt,
      seenAt,
    }
    const beat = this.parts.engine.store.run(() => recordInstance(row))
    this.lastBeat = Promise.allSettled([this.lastBeat, beat])
    await beat
  }

  /** A clean stop: others need not wait until the record is old. Without a database the record becomes old. */
  async end(): Promise<void> {
    this.hasEnded = true
    // A beat that the store still has would write the row again.
    await this.lastBeat
    await unlessAway(() => this.parts.engine.store.run(() => removeInstance(this.id)))
  }

  /** Beats also while a check of readiness hangs: others go by it. Another check says that the database is away. */
  worker(parts: { readonly machine: Pick<Machine, "after">; readonly log: Log }): Worker {
    return periodic("instance", BEAT_EVERY_MS, () => unlessAway(() => this.beat()), parts)
  }
}

/** Does without the work if the database is away, or if nobody knows whether it did it. */
export async function unlessAway(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isDatabaseAway(error)) throw error
  }
}

/** Milliseconds since the epoch by the clock by which processes compare their times. */
export function databaseNow({
  engine,
  machine,
}: {
  readonly engine: Pick<Engine, "serverClock">
  readonly machine: Pick<Machine, "now">
}): number {
  return engine.serverClock()?.now() ?? machine.now()
}
