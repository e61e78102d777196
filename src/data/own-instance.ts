/** The record of this process, from its start to its end, among those that serve the database. */
import { hostname } from "node:os"
import { VERSION } from "../base/build-facts.ts"
import type { Machine } from "../base/machine.ts"
import { formatInstant } from "../core/time.ts"
import type { Engine } from "../store/engine/engine.ts"
import { StoreUnavailable } from "../store/engine/store-error.ts"
import { type Instance, recordInstance, removeInstance } from "../store/instances.ts"

const INSTANCE_ID_BYTES = 16

interface InstanceParts {
  readonly engine: Pick<Engine, "store" | "serverClock">
  readonly machine: Pick<Machine, "now" | "random">
}

export class OwnInstance {
  /** Hexadecimal. */
  readonly id: string
  private startedAt: string | null = null
  private hasEnded = false

  constructor(private readonly parts: InstanceParts) {
    this.id = Buffer.from(parts.machine.random(INSTANCE_ID_BYTES)).toString("hex")
  }

  /** Says that this process lives. A check repeats it every few seconds. Rejects as the store does if the database accepts no write. */
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
    await this.parts.engine.store.run(() => recordInstance(row))
  }

  /** A clean stop: others need not wait until the record is old. Without a database the record becomes old. */
  async end(): Promise<void> {
    this.hasEnded = true
    try {
      await this.parts.engine.store.run(() => removeInstance(this.id))
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
    }
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
