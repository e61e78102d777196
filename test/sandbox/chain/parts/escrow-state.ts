/** What the escrow contract stores: its settings and its jobs. */
import type { Address, Hex } from "viem"
import { AT_HEAD, type Ledger } from "../../../../src/sandbox/chain/ledger.ts"
import { addressWord, numberWord } from "../../../../src/sandbox/chain/words.ts"

/** Addresses in lower case. Fees in hundredths of a percent. */
export interface EscrowSettings {
  /** Of the proxy. */
  readonly address: Address
  readonly implementation: Address
  readonly token: Address
  readonly treasury: Address
  readonly platformFeeBp: bigint
  readonly evaluatorFeeBp: bigint
  readonly isPaused: boolean
}

/** The contract's numbers of its states. */
export const ESCROW_STATUS = { open: 0, funded: 1, submitted: 2, completed: 3, rejected: 4, expired: 5 } as const
export type ModelJobStatus = (typeof ESCROW_STATUS)[keyof typeof ESCROW_STATUS]

/** Addresses in lower case. */
export interface ModelJob {
  readonly client: Address
  readonly status: ModelJobStatus
  readonly provider: Address
  /** Seconds since the epoch. */
  readonly expiredAt: bigint
  readonly evaluator: Address
  readonly hook: Address
  /** Millionths of a dollar. */
  readonly budget: bigint
  /** UTF-8 bytes. */
  readonly description: Hex
}

const SETTINGS = "escrow:settings"
const COUNTER = "escrow:jobs"
const nameOf = (jobId: bigint | string) => `escrow:job:${jobId}`

/** The contract's storage in the ledger. `first`: the settings from block 0. A `block` parameter means the end of that block. */
export class EscrowStorage {
  readonly address: Address
  constructor(private readonly first: EscrowSettings) {
    this.address = first.address
  }

  settings(ledger: Ledger, block = AT_HEAD): EscrowSettings {
    return ledger.stored(SETTINGS, this.first, block)
  }
  configure(ledger: Ledger, change: Partial<Omit<EscrowSettings, "address">>): void {
    ledger.store(SETTINGS, this.first, { ...this.settings(ledger), ...change })
  }
  jobCount(ledger: Ledger, block = AT_HEAD): bigint {
    return ledger.stored(COUNTER, 0n, block)
  }
  /** Null when there is no such job. `jobId` in decimal digits if it is text. */
  job(ledger: Ledger, jobId: bigint | string, block = AT_HEAD): ModelJob | null {
    return ledger.stored<ModelJob | null>(nameOf(jobId), null, block)
  }
  setJob(ledger: Ledger, jobId: bigint, job: ModelJob): void {
    ledger.store<ModelJob | null>(nameOf(jobId), null, job)
  }
  addJob(ledger: Ledger, jobId: bigint, job: ModelJob): void {
    ledger.store(COUNTER, 0n, jobId)
    this.setJob(ledger, jobId, job)
  }
}

/** A contract that is not paused and holds `token`. Addresses in any letter case. */
export function openEscrowStorage(given: Omit<EscrowSettings, "token" | "isPaused">, token: Address): EscrowStorage {
  const lower = (address: Address) => address.toLowerCase() as Address
  const { address, implementation, treasury, ...fees } = given
  const places = { address: lower(address), implementation: lower(implementation), treasury: lower(treasury) }
  return new EscrowStorage({ ...fees, ...places, token: lower(token), isPaused: false })
}

const NOBODY: Address = "0x0000000000000000000000000000000000000000"
const NO_JOB: ModelJob = {
  client: NOBODY,
  status: ESCROW_STATUS.open,
  provider: NOBODY,
  expiredAt: 0n,
  evaluator: NOBODY,
  hook: NOBODY,
  budget: 0n,
  description: "0x",
}

/** The result of `getJob`: one tuple with a dynamic member. Zeros for an unknown job. */
export function encodedJob(job: ModelJob | null): Hex {
  const { client, status, provider, expiredAt, evaluator, hook, budget, description } = job ?? NO_JOB
  const text = description.slice(2)
  const words = [
    numberWord(0x20),
    addressWord(client),
    numberWord(status),
    addressWord(provider),
    numberWord(expiredAt),
    addressWord(evaluator),
    addressWord(hook),
    numberWord(budget),
    numberWord(0x100),
    numberWord(text.length / 2),
  ]
  const padded = text.padEnd(Math.ceil(text.length / 64) * 64, "0")
  return `0x${words.map((word) => word.slice(2)).join("")}${padded}`
}
