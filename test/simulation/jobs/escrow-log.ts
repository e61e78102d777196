/** Events of the escrow contract, as the chain has them now and as any block ever had them. */
import { type Hex, hexToBigInt } from "viem"
import type { Block } from "../../../src/sandbox/chain/block.ts"
import { ESCROW_TOPICS } from "../../sandbox/chain/parts/escrow-contract.ts"
import { ESCROW } from "./job-terms.ts"

export type EscrowEventName = keyof typeof ESCROW_TOPICS

export interface EscrowEvent {
  readonly name: EscrowEventName
  /** Decimal digits. */
  readonly jobId: string
  readonly tx: Hex
  readonly logIndex: number
  readonly block: number
  readonly blockHash: Hex
  /** Seconds. */
  readonly timestamp: number
  /** Of events with an amount, and else null. */
  readonly amount: bigint | null
  /** The last data word: the hash of JobSubmitted. */
  readonly data: Hex
}

const NAMES = new Map(Object.entries(ESCROW_TOPICS).map(([name, topic]) => [topic as Hex, name as EscrowEventName]))
const WITH_AMOUNT: ReadonlySet<EscrowEventName> = new Set(["BudgetSet", "JobFunded", "PaymentReleased", "Refunded"])

export class EscrowLog {
  private readonly now = new Map<string, EscrowEvent[]>()
  private readonly ever = new Map<string, EscrowEvent>()

  /** A block joined the chain. Returns its events. */
  mined(block: Block): readonly EscrowEvent[] {
    const events = eventsIn(block)
    for (const event of events) {
      const ofJob = this.now.get(event.jobId)
      if (ofJob) ofJob.push(event)
      else this.now.set(event.jobId, [event])
      this.ever.set(placeOf(event.name, event.tx, event.blockHash), event)
    }
    return events
  }

  /** A block left the chain. */
  dropped(block: Block): void {
    for (const { jobId } of eventsIn(block)) {
      const left = (this.now.get(jobId) ?? []).filter(({ blockHash }) => blockHash !== block.hash)
      this.now.set(jobId, left)
    }
  }

  /** The events of a job in the chain, in its order. */
  of(jobId: string): readonly EscrowEvent[] {
    return this.now.get(jobId) ?? []
  }

  find(jobId: string, name: EscrowEventName): EscrowEvent | null {
    return this.of(jobId).find((event) => event.name === name) ?? null
  }

  /** An event that any block had, replaced ones too. */
  everSeen(name: EscrowEventName, tx: string, blockHash: string): EscrowEvent | null {
    return this.ever.get(placeOf(name, tx, blockHash)) ?? null
  }
}

const placeOf = (name: string, tx: string, blockHash: string) => `${name}:${tx}:${blockHash}`

function eventsIn(block: Block): EscrowEvent[] {
  return block.receipts.flatMap(({ transaction, logs }) =>
    logs.flatMap((log) => {
      const name = log.address === ESCROW ? NAMES.get(log.topics[0]) : undefined
      if (name === undefined) return []
      const event: EscrowEvent = {
        name,
        jobId: String(hexToBigInt(log.topics[1] as Hex)),
        tx: transaction.hash,
        logIndex: log.index,
        block: block.number,
        blockHash: block.hash,
        timestamp: block.timestamp,
        amount: WITH_AMOUNT.has(name) ? hexToBigInt(log.data) : null,
        data: log.data,
      }
      return [event]
    }),
  )
}
