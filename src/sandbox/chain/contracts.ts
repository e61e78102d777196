/** Which account executes a call: USDC, the escrow of jobs, the batch contract, a wallet, or an account without code. */
import { type Address, decodeFunctionData, encodeFunctionResult, type Hex, parseAbi } from "viem"
import { BATCH_ADDRESS, BATCH_CODE, readBatch } from "./batch-call.ts"
import { type EscrowCall, readEscrowCall } from "./escrow-call.ts"
import { runEscrow } from "./escrow-contract.ts"
import type { EscrowStorage } from "./escrow-state.ts"
import type { Ledger } from "./ledger.ts"
import { readUsdcCall, type UsdcCall } from "./usdc-call.ts"
import { type Effect, type Event, runUsdc, type Surroundings } from "./usdc-contract.ts"

/** Marks USDC's account as a contract. The model does not execute it. */
const USDC_CODE: Hex = "0x6305dc"
/** Marks the escrow's proxy as a contract. */
const ESCROW_CODE: Hex = "0x63e5c0"

/** A parsed call. It does not depend on the state, so it is parsed once. */
export type Plan =
  | { readonly kind: "usdc"; readonly call: UsdcCall | null }
  | { readonly kind: "escrow"; readonly call: EscrowCall | null; readonly storage: EscrowStorage }
  /**
   * `calls` is null when the calldata is not a batch. A null call is USDC calldata that does not decode. "other": the target is not USDC,
   * and the call does nothing.
   */
  | { readonly kind: "batch"; readonly calls: readonly (UsdcCall | null | "other")[] | null }
  | { readonly kind: "account"; readonly account: Address; readonly data: Hex }

/** Addresses are in lower case. */
export class Contracts {
  /** `escrow` is null on a chain without one. */
  constructor(
    private readonly usdc: Address,
    readonly escrow: EscrowStorage | null,
  ) {}

  codeOf(account: Address, ledger: Ledger, block: number): Hex {
    if (account === this.usdc) return USDC_CODE
    if (account === BATCH_ADDRESS) return BATCH_CODE
    if (account === this.escrow?.address) return ESCROW_CODE
    return ledger.wallet(account, block)?.code ?? "0x"
  }

  /** Throws RangeError on a chain without one. */
  requireEscrow(): EscrowStorage {
    if (this.escrow === null) throw new RangeError("this chain has no escrow contract")
    return this.escrow
  }

  plan(to: Address, data: Hex): Plan {
    if (to === this.usdc) return { kind: "usdc", call: readUsdcCall(data) }
    if (this.escrow !== null && to === this.escrow.address) {
      return { kind: "escrow", call: readEscrowCall(data), storage: this.escrow }
    }
    if (to !== BATCH_ADDRESS) return { kind: "account", account: to, data }
    const calls = readBatch(data)
    return {
      kind: "batch",
      calls:
        calls?.map(({ target, callData }) =>
          target.toLowerCase() === this.usdc ? readUsdcCall(callData) : ("other" as const),
        ) ?? null,
    }
  }

  /** The caller must roll back the writes of a failed call, because a batch may write before one of its calls fails. */
  run(plan: Plan, sender: Address, around: Surroundings): Effect {
    switch (plan.kind) {
      case "usdc":
        return runUsdc(plan.call, sender, around)
      case "escrow":
        return runEscrow(plan.call, sender, around, plan.storage)
      case "batch":
        return runBatch(plan.calls, around)
      case "account":
        return askWallet(plan.account, plan.data, around)
    }
  }
}

const PLAIN: Effect = { isSuccess: true, gas: 0n, events: [], output: "0x" }

function runBatch(calls: readonly (UsdcCall | null | "other")[] | null, around: Surroundings): Effect {
  if (!calls) return { isSuccess: false, gas: 1_000n, reason: null }
  let gas = 0n
  const events: Event[] = []
  for (const call of calls) {
    const effect = call === "other" ? PLAIN : runUsdc(call, BATCH_ADDRESS, around)
    gas += effect.gas
    if (!effect.isSuccess) return { isSuccess: false, gas, reason: "Multicall3: call failed" }
    events.push(...effect.events)
  }
  return { isSuccess: true, gas, events, output: "0x" }
}

const WALLET_ABI = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"])

function askWallet(account: Address, data: Hex, { ledger, signatures, at, withFee }: Surroundings): Effect {
  const wallet = ledger.wallet(account, at)
  if (!wallet || data === "0x") return PLAIN
  const gas = wallet.gas(withFee)
  let digest: Hex
  let signature: Hex
  try {
    ;[digest, signature] = decodeFunctionData({ abi: WALLET_ABI, data }).args
  } catch {
    // For any wrong calldata the wallet has no such function.
    return { isSuccess: false, gas: 1_000n, reason: null }
  }
  const isAccepted = wallet.accepts({ digest, signature, signer: signatures.signerOf(digest, signature) })
  const result = isAccepted ? "0x1626ba7e" : "0xffffffff"
  const output = encodeFunctionResult({ abi: WALLET_ABI, functionName: "isValidSignature", result })
  return { isSuccess: true, gas, events: [], output }
}
