import type { Log } from "../base/log.ts"
import type { Machine } from "../base/machine.ts"
import { periodic, type Worker } from "../base/worker.ts"
import { MINUTE, SECOND } from "../core/time.ts"
import type { Payments } from "../payments/payments.ts"
import { type Sample, sample } from "./exposition.ts"

/** How soon after payments open the node is asked for the first time. */
const ROUND_MS = 1 * SECOND
/** CHOICE: the node is asked for the relayer's ether once a minute, however often metrics are read. */
const POLL_EVERY_MS = MINUTE
/** An older number says nothing. */
const AGE_MS_MAX = 10 * MINUTE

interface RelayerParts {
  readonly machine: Pick<Machine, "monotonic" | "after">
  readonly log: Log
  /** Null while payments are not open, and without a relayer of our own. */
  readonly payments: () => Payments | null
}

/** Remembers how many payments the relayer's ether pays for. */
export class RelayerPoll {
  private found: { readonly paymentsLeft: number; readonly at: number } | null = null
  private queriedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly parts: RelayerParts) {}

  samples(): readonly Sample[] {
    if (this.found === null) return []
    const ageMs = this.parts.machine.monotonic() - this.found.at
    if (ageMs > AGE_MS_MAX) return []
    return [
      sample("bizauth_relayer_payments_left", {}, this.found.paymentsLeft),
      sample("bizauth_relayer_look_age_seconds", {}, ageMs / SECOND),
    ]
  }

  worker(): Worker {
    return periodic("relayer funds", ROUND_MS, () => this.round(), this.parts)
  }

  private async round(): Promise<void> {
    const { machine } = this.parts
    const payments = this.parts.payments()
    const begunAt = machine.monotonic()
    if (payments?.settler.kind !== "self" || begunAt - this.queriedAt < POLL_EVERY_MS) return
    this.queriedAt = begunAt
    const [{ relayerFunds }, { RpcUnavailable }] = await Promise.all([
      import("../payments/relayer-funds.ts"),
      import("../payments/rpc.ts"),
    ])
    try {
      const { paymentsLeft } = await relayerFunds(payments, payments.settler.relayer.address)
      this.found = { paymentsLeft: Number(paymentsLeft), at: begunAt }
    } catch (error) {
      // Readiness reports the node. The age of the number grows until the node answers.
      if (!(error instanceof RpcUnavailable)) throw error
    }
  }
}
