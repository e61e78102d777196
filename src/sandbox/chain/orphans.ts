/**
 * Blocks that a reorganization replaced. Nodes keep their state for a while and return it by hash, so a reader with such a hash reads the
 * old branch. An orphan is kept until the safe block has passed it; only its authorizations are kept.
 */
import type { Hex } from "viem"
import type { Block } from "./block.ts"
import type { Ledger } from "./ledger.ts"

interface Orphan {
  readonly number: number
  /** The last block that it shares with the chain. */
  ancestor: number
  /** Authorizations used after the ancestor, up to and including this block. */
  readonly spent: Set<string>
}

export class Orphans {
  private readonly byHash = new Map<Hex, Orphan>()

  /** `dropped`: the chain's last blocks, in order, before their changes are undone. */
  add(dropped: readonly Block[]): void {
    const [first] = dropped
    if (!first) return
    const ancestor = first.number - 1
    for (const orphan of this.byHash.values()) {
      if (orphan.ancestor <= ancestor) continue
      for (const { number, changes } of dropped) {
        if (number <= orphan.ancestor) for (const key of changes.spent) orphan.spent.add(key)
      }
      orphan.ancestor = ancestor
    }
    const spent: string[] = []
    for (const { number, hash, changes } of dropped) {
      spent.push(...changes.spent)
      this.byHash.set(hash, { number, ancestor, spent: new Set(spent) })
    }
  }

  /** Null when no such block is known. */
  isSpent(hash: Hex, key: string, ledger: Ledger): boolean | null {
    const orphan = this.byHash.get(hash)
    return orphan ? orphan.spent.has(key) || ledger.isSpent(key, orphan.ancestor) : null
  }

  has(hash: Hex): boolean {
    return this.byHash.has(hash)
  }

  /** Drops orphans with this number or a lower one. */
  forget(number: number): void {
    for (const [hash, orphan] of this.byHash) if (orphan.number <= number) this.byHash.delete(hash)
  }
}
