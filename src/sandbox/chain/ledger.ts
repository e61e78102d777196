/**
 * The state of the modelled chain: ether, transaction nonces, USDC balances, used authorizations, storage of contracts. Each
 * value keeps its history and each block lists its changes. So a reorganization costs as much as the dropped blocks changed, and a query
 * for an old block searches one history.
 */
import type { Address, Hex } from "viem"
import { History } from "./history.ts"

/** What one block changed. */
export interface BlockChanges {
  readonly touched: History<unknown>[]
  /** Keys of the authorizations that the block used or cancelled. */
  readonly spent: string[]
}

interface Account {
  readonly nonce: History<number>
  readonly wei: History<bigint>
  readonly usdc: History<bigint>
  readonly isBlacklisted: History<boolean>
}

/** Any block number from this one on means the head. */
export const AT_HEAD = Number.MAX_SAFE_INTEGER

export const authorizationKey = (payer: Address, nonce: Hex) => `${payer}:${nonce}`

/** Addresses and nonces are in lower case. A `block` parameter means the end of that block. */
export class Ledger {
  private readonly accounts = new Map<Address, Account>()
  /** The block that used each authorization. */
  private readonly spentAt = new Map<string, number>()
  private readonly pause = new History(false)
  /** Storage of contracts, by names that the contracts choose. */
  private readonly storage = new Map<string, History<unknown>>()
  private block = 0
  private changes: BlockChanges = { touched: [], spent: [] }
  private undo: (() => void)[] | null = null

  /** Later writes belong to `block`. */
  open(block: number, changes: BlockChanges = { touched: [], spent: [] }): BlockChanges {
    this.block = block
    this.changes = changes
    return changes
  }

  /** Undoes all changes of the blocks above `block`. `dropped` must be the changes of exactly those blocks. */
  rollBack(block: number, dropped: readonly BlockChanges[]): void {
    for (const { touched, spent } of dropped) {
      for (const history of touched) history.dropAfter(block)
      for (const key of spent) this.spentAt.delete(key)
    }
  }

  /** Runs writes, and undoes all of them unless `run` returns true. */
  attempt(run: () => boolean): boolean {
    if (this.undo) throw new TypeError("an attempt inside an attempt")
    const undo: (() => void)[] = []
    this.undo = undo
    let isKept = false
    try {
      isKept = run()
    } finally {
      this.undo = null
      if (!isKept) for (const step of undo.reverse()) step()
    }
    return isKept
  }

  nonce(account: Address, block = AT_HEAD): number {
    return this.accounts.get(account)?.nonce.at(block) ?? 0
  }
  wei(account: Address, block = AT_HEAD): bigint {
    return this.accounts.get(account)?.wei.at(block) ?? 0n
  }
  usdc(account: Address, block = AT_HEAD): bigint {
    return this.accounts.get(account)?.usdc.at(block) ?? 0n
  }
  isBlacklisted(account: Address, block = AT_HEAD): boolean {
    return this.accounts.get(account)?.isBlacklisted.at(block) ?? false
  }
  isPaused(block = AT_HEAD): boolean {
    return this.pause.at(block)
  }
  isSpent(key: string, block = AT_HEAD): boolean {
    const at = this.spentAt.get(key)
    return at !== undefined && at <= block
  }

  /** The stored value of a contract; `initial` before the first {@link store}. */
  stored<Value>(name: string, initial: Value, block = AT_HEAD): Value {
    const history = this.storage.get(name) as History<Value> | undefined
    return history ? history.at(block) : initial
  }
  /** `initial` is the value of every block before the first write of this name. Values are immutable. */
  store<Value>(name: string, initial: Value, value: Value): void {
    let history = this.storage.get(name) as History<Value> | undefined
    if (!history) {
      history = new History(initial)
      this.storage.set(name, history as History<unknown>)
    }
    this.write(history, value)
  }

  setNonce(account: Address, value: number): void {
    this.write(this.account(account).nonce, value)
  }
  setWei(account: Address, value: bigint): void {
    this.write(this.account(account).wei, value)
  }
  setUsdc(account: Address, value: bigint): void {
    this.write(this.account(account).usdc, value)
  }
  setBlacklisted(account: Address, value: boolean): void {
    this.write(this.account(account).isBlacklisted, value)
  }
  setPaused(value: boolean): void {
    this.write(this.pause, value)
  }
  spend(key: string): void {
    this.spentAt.set(key, this.block)
    this.changes.spent.push(key)
    this.undo?.push(() => {
      this.spentAt.delete(key)
      this.changes.spent.pop()
    })
  }

  private account(address: Address): Account {
    const known = this.accounts.get(address)
    if (known) return known
    const made: Account = {
      nonce: new History(0),
      wei: new History(0n),
      usdc: new History(0n),
      isBlacklisted: new History(false),
    }
    this.accounts.set(address, made)
    return made
  }

  private write<Value>(history: History<Value>, value: Value): void {
    this.undo?.push(history.mark())
    if (history.set(this.block, value)) this.changes.touched.push(history as History<unknown>)
  }
}
