/** Which account executes a call: USDC, a contract that the chain's maker handed in, an account with code of its own, or one without code. */
import type { Address, Hex } from "viem"
import type { Contract, Effect, Surroundings } from "./contract.ts"
import { AT_HEAD, type Ledger } from "./ledger.ts"
import { readUsdcCall } from "./usdc-call.ts"
import { runUsdc } from "./usdc-contract.ts"

const USDC: Contract = { code: "0x6305dc", run: (data, sender, around) => runUsdc(readUsdcCall(data), sender, around) }

const PLAIN: Effect = { isSuccess: true, gas: 0n, events: [], output: "0x" }
const EMPTY_SLOT: Hex = `0x${"0".repeat(64)}`
const nameOf = (account: Address) => `code:${account}`

/** Addresses are in lower case. A `block` parameter means the end of that block. */
export class Contracts {
  private readonly fixed: ReadonlyMap<Address, Contract>

  constructor(usdc: Address, others: ReadonlyMap<Address, Contract>) {
    this.fixed = new Map([...others, [usdc, USDC]])
  }

  at(account: Address, ledger: Ledger, block = AT_HEAD): Contract | null {
    return this.fixed.get(account) ?? ledger.stored<Contract | null>(nameOf(account), null, block)
  }

  /** Gives an account code of its own, or removes it with null. */
  set(account: Address, ledger: Ledger, code: Contract | null): void {
    ledger.store<Contract | null>(nameOf(account), null, code)
  }

  codeOf(account: Address, ledger: Ledger, block: number): Hex {
    return this.at(account, ledger, block)?.code ?? "0x"
  }

  storageOf(account: Address, slot: bigint, ledger: Ledger, block: number): Hex {
    return this.at(account, ledger, block)?.storageAt?.(slot, ledger, block) ?? EMPTY_SLOT
  }

  /** As {@link Contract.run}. A call to an account without code does nothing. */
  run(to: Address, data: Hex, sender: Address, given: Omit<Surroundings, "contractAt">): Effect {
    const around = { ...given, contractAt: (account: Address) => this.at(account, given.ledger, given.at) }
    return around.contractAt(to)?.run(data, sender, around) ?? PLAIN
  }
}
