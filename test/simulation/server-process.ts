/** One server process, through all its lives, and the faults that may still delay it. */
import type { Address } from "viem"
import type { Incarnation } from "./incarnation.ts"

export interface ServerProcess {
  readonly name: string
  life: Incarnation | null
  /** Of its present life; the address of its relayer. */
  relayer: Address | null
  lives: number
  /** When it last resumed from a freeze; virtual ms. */
  thawedAt: number
  /** When its present life opened, and until when a fault of its nodes or its database may delay it; virtual ms. */
  openAt: number
  faultUntil: number
}

export function newProcess(name: string): ServerProcess {
  return {
    name,
    life: null,
    relayer: null,
    lives: 0,
    thawedAt: Number.NEGATIVE_INFINITY,
    openAt: 0,
    faultUntil: 0,
  }
}

/** Whether an error that it logs is the chain's, or the result of a fault, and no bug. */
export function isExpected(event: string, message: string): boolean {
  return ALARMS.has(event) || EXPECTED.test(message)
}

/** Errors that a server reports as the chain's, not as its own. */
const ALARMS: ReadonlySet<string> = new Set([
  "unpaid_after_reorg",
  "authorization_used_without_log",
  "former_relayer_gap",
  "relayer_count_implausible",
  "acp_deadline_missed",
  "acp_unpaid_after_delivery",
  "acp_funding_mismatch",
])
/** The results of the faults of database, process and nodes. */
const EXPECTED = /^(database unavailable|a commit failed|the store is closed|the process is dead|not answered within)/
