/**
 * Sends one verified attempt to the chain. Two units, because no lock is held over RPC: A allocates the relayer nonce, B stores
 * the signed transaction and moves VERIFIED to SETTLING. INVARIANT: nothing is broadcast unless B changed that row (rulings 35, 36).
 */
import type { Address } from "viem"
import { formatInstant } from "../core/time.ts"
import type { Machine } from "../machine.ts"
import { moveAttempt } from "../store/attempt-moves.ts"
import { type Attempt, findAttempt } from "../store/attempts.ts"
import { allocateNonce, gasBurned, storeTransaction } from "../store/relayer-ledger.ts"
import type { Store, Unit } from "../store/unit.ts"
import type { Authorization } from "./authorization.ts"
import { type Gas, planGas } from "./gas.ts"
import { handOver } from "./hand-over.ts"
import type { HostedParts, Payments } from "./payments.ts"
import { broadcast, type Relayer } from "./relayer.ts"
import { RpcUnavailable } from "./rpc.ts"
import { transferCall } from "./transfer-call.ts"

/** An authorization with less than this left on the chain's clock is not sent any more. */
const VALIDITY_LEFT_SECONDS_MIN = 20

export interface SettleDeps {
  readonly store: Store
  readonly machine: Machine
  readonly payments: Payments
  /** This worker's lease. */
  readonly owner: string
  /** Told after each durable step; tests stop the process there. */
  readonly trace?: (step: SettleStep) => void | Promise<void>
}

export type SettleStep = "reserved" | "computed" | "nonce_allocated" | "settling_stored" | "broadcast" | "settled"

export type Sent =
  | { readonly kind: "settling" }
  /** Nothing was sent and the attempt may be released: not our money, not our turn, or not now. */
  | { readonly kind: "not_sent"; readonly code: NotSent }
  /** The payer's wallet needs too much gas: 402. */
  | { readonly kind: "refused"; readonly reason: string }
  /** Another worker has the attempt. */
  | { readonly kind: "lost" }

export type NotSent = "CHAIN_UNAVAILABLE" | "GAS_TOO_EXPENSIVE" | "RELAYER_UNFUNDED" | "AUTHORIZATION_TOO_OLD"

/** From VERIFIED to SETTLING, or the reason why not. Throws only bugs and StoreUnavailable. */
export async function sendSettlement(deps: SettleDeps, attempt: Attempt, authorization: Authorization): Promise<Sent> {
  const { settler } = deps.payments
  return settler.kind === "self"
    ? sendSelf(deps, attempt, authorization, settler.relayer)
    : sendHosted(deps, attempt, settler)
}

async function sendSelf(
  deps: SettleDeps,
  attempt: Attempt,
  authorization: Authorization,
  relayer: Relayer,
): Promise<Sent> {
  const { store, machine, payments, owner } = deps
  const data = transferCall(authorization)
  const plan = await settlementPlan(deps, attempt, data, relayer.address)
  if ("kind" in plan) return plan
  const minedCount = await asked(() => payments.chain.primary.nextNonce(relayer.address))
  if (minedCount === null) return { kind: "not_sent", code: "CHAIN_UNAVAILABLE" }
  const allocatedAt = formatInstant(machine.now())
  const nonce = await store.run(() => allocateNonce(relayer.address, attempt.id, minedCount, allocatedAt))
  await deps.trace?.("nonce_allocated")

  const signed = await relayer.sign({ to: payments.chain.asset.address, data }, nonce, plan.gas)
  const at = formatInstant(machine.now())
  const stored = await store.run(function* (): Unit<boolean> {
    const current = yield* findAttempt(attempt.id)
    if (current?.state !== "VERIFIED" || current.leaseOwner !== owner) return false
    const transaction = {
      txHash: signed.hash,
      relayer: relayer.address,
      nonce,
      raw: signed.raw,
      maxFeeWei: String(plan.gas.maxFeePerGas),
      createdAt: at,
    }
    if (!(yield* storeTransaction(transaction, attempt.id))) return false
    return yield* moveAttempt(attempt.id, "VERIFIED", "SETTLING", owner, at, signed.hash)
  })
  if (!stored) return { kind: "lost" }
  await deps.trace?.("settling_stored")
  await broadcast(payments.chain.primary, signed.raw)
  await deps.trace?.("broadcast")
  return { kind: "settling" }
}

async function settlementPlan(
  deps: SettleDeps,
  attempt: Attempt,
  data: `0x${string}`,
  relayer: Address,
): Promise<{ gas: Gas } | Sent> {
  const { store, machine, payments } = deps
  const payerHasCode = attempt.payerHasCode === 1
  const day = formatInstant(machine.now()).slice(0, 10)
  const { payerCodeHash } = attempt
  if (payerCodeHash !== null) {
    const burned = await store.read(() => gasBurned(payerCodeHash, day))
    if (burned >= payments.burnedGasDailyWei) return { kind: "refused", reason: "gas_budget_of_this_wallet_spent" }
  }
  const head = await asked(() => payments.chain.primary.block("latest"))
  if (!head) return { kind: "not_sent", code: "CHAIN_UNAVAILABLE" }
  if (attempt.validBefore < head.timestamp + VALIDITY_LEFT_SECONDS_MIN)
    return { kind: "not_sent", code: "AUTHORIZATION_TOO_OLD" }
  const plan = await asked(() =>
    planGas(payments.chain, relayer, { data, payerHasCode }, BigInt(attempt.value), payments.gasPolicy),
  )
  if (!plan) return { kind: "not_sent", code: "CHAIN_UNAVAILABLE" }
  switch (plan.kind) {
    case "ready":
      return { gas: plan.gas }
    case "not_now":
      return { kind: "not_sent", code: plan.code }
    case "refused":
      return { kind: "refused", reason: plan.reason }
    case "would_fail":
      // A third party may have submitted it already: only the chain can say, so the attempt is watched like a sent one.
      return askTheChain(deps, attempt, "estimate failed")
  }
}

/** SETTLING without a transaction of ours: the authorization may already be used, and only the chain ends the attempt. */
export async function askTheChain(deps: SettleDeps, attempt: Attempt, why: string): Promise<Sent> {
  const at = formatInstant(deps.machine.now())
  const moved = await deps.store.run(() => moveAttempt(attempt.id, "VERIFIED", "SETTLING", deps.owner, at, why))
  return moved ? { kind: "settling" } : { kind: "lost" }
}

/** SETTLING is committed before anything is sent to the facilitator; its answer is only a hint (rulings 38). */
async function sendHosted(deps: SettleDeps, attempt: Attempt, settler: HostedParts): Promise<Sent> {
  const sent = await askTheChain(deps, attempt, "handed to the hosted facilitator")
  if (sent.kind !== "settling") return sent
  await deps.trace?.("settling_stored")
  await handOver(settler, attempt, deps.machine.now)
  await deps.trace?.("broadcast")
  return sent
}

async function asked<T>(question: () => Promise<T>): Promise<T | null> {
  try {
    return await question()
  } catch (error) {
    if (error instanceof RpcUnavailable) return null
    throw error
  }
}
