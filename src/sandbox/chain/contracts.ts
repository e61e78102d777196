/** Which account executes a call: USDC, a contract that the chain's maker handed in, an account with code of its own, or one without code. */
import type { Address, Hex } from "viem"
import type { Ledger } from "./ledger.ts"
import { readUsdcCall } from "./usdc-call.ts"
import { type Effect, runUsdc, type Surroundings } from "./usdc-contract.ts"

/** What runs at an address, in place of byte code. */
export interface Contract {
  /** What `eth_getCode` returns: any bytes but "0x". The model does not execute it. */
  readonly code: Hex
  /**
   * Runs a call and writes to the ledger. The caller must roll the writes back when the call fails, or when `around.at` is an old block.
   * `sender` is in lower case.
   */
  run(data: Hex, sender: Address, around: Surroundings): Effect
  /** The word in a slot at the end of a block. Without it every slot is empty. */
  storageAt?(slot: bigint, ledger: Ledger, block: number): Hex
}

const USDC: Contract = { code: "0x6305dc", run: (data, sender, around) => runUsdc(readUsdcCall(data), sender, around) }

const PLAIN: Effect = { isSuccess: true, gas: 0n, events: [], output: "0x" }
const EMPTY_SLOT: Hex = `0x${"0".repeat(64)}`

/** Addresses are in lower case. */
export class Contracts {
  private readonly fixed: ReadonlyMap<Address, Contract>

  constructor(usdc: Address, others: ReadonlyMap<Address, Contract>) {
    this.fixed = new Map([...others, [usdc, USDC]])
  }

  codeOf(account: Address, ledger: Ledger, block: number): Hex {
    return this.at(account, ledger, block)?.code ?? "0x"
  }

  storageOf(account: Address, slot: bigint, ledger: Ledger, block: number): Hex {
    return this.at(account, ledger, block)?.storageAt?.(slot, ledger, block) ?? EMPTY_SLOT
  }

  /** As {@link Contract.run}. A call to an account without code does nothing. */
  run(to: Address, data: Hex, sender: Address, around: Surroundings): Effect {
    return this.at(to, around.ledger, around.at)?.run(data, sender, around) ?? PLAIN
  }

  private at(account: Address, ledger: Ledger, block: number): Contract | null {
    return this.fixed.get(account) ?? ledger.code(account, block)
  }
}
