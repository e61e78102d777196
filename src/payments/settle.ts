/**
 * Sends one verified attempt to the chain, in two units, because no lock is held during RPC. Unit A allocates the relayer nonce. Unit B
 * stores the signed transaction and moves VERIFIED to SETTLING. INVARIANT: nothing is broadcast unless B changed that row (rulings 35, 36).
 */
import type { Address, Hex } from "viem"
import { formatInstant } from "../core/time.ts"
import type { Log } from "../log.ts"
import type { Machine } from "../machine.ts"
import { moveAttempt } from "../store/payments/attempt-moves.ts"
import { type Attempt, findAttempt } from "../store/payments/attempts.ts"
import { gasBurned } from "../store/payments/burned-gas.ts"
import {
  allocateNonce,
  nextLedgerNonce,
  noncesOfAttempt,
  storeTransaction,
  transactionsOfAttempt,
} from "../store/payments/relayer-ledger.ts"
import type { Store, Unit } from "../store/unit.ts"
import type { Authorization } from "./authorization.ts"
import { type Gas, type GasPlan, planGas } from "./gas.ts"
import { handOver, storedAuthorization } from "./hand-over.ts"
import type { HostedParts, Payments, SelfSettler } from "./payments.ts"
import { canonicalReceipt } from "./receipt.ts"
import { broadcast } from "./relayer.ts"
import { RpcUnavailable } from "./rpc.ts"
import { transferCall } from "./transfer-call.ts"

/** An authorization with less remaining validity on the chain's clock is not sent. */
const VALIDITY_LEFT_SECONDS_MIN = 20

export interface SettleDeps {
  readonly store: Store
  readonly machine: Machine
  readonly payments: Payments
  readonly log: Log
  /** Owner of this worker's lease. */
  readonly owner: string
  /** Called after each durable step; tests stop the process there. */
  readonly trace?: (step: SettleStep) => void | Promise<void>
}

export type SettleStep = "reserved" | "computed" | "nonce_allocated" | "settling_stored" | "broadcast" | "settled"

export type Sent =
  | { readonly kind: "settling" }
  /** Nothing was sent and the attempt may be released. `code` says why. */
  | { readonly kind: "not_sent"; readonly code: NotSent }
  /** The payer's wallet needs too much gas: 402. */
  | { readonly kind: "refused"; readonly reason: string }
  /** Another worker holds the attempt. */
  | { readonly kind: "lost" }

export type NotSent = "CHAIN_UNAVAILABLE" | "GAS_TOO_EXPENSIVE" | "RELAYER_UNFUNDED" | "AUTHORIZATION_TOO_OLD"

/** Moves VERIFIED to SETTLING, or returns why not. Throws only bugs and StoreUnavailable. */
export async function sendSettlement(deps: SettleDeps, attempt: Attempt, authorization: Authorization): Promise<Sent> {
  const { settler } = deps.payments
  return settler.kind === "self" ? sendSelf(deps, attempt, authorization, settler) : sendHosted(deps, attempt, settler)
}

async function sendSelf(
  deps: SettleDeps,
  attempt: Attempt,
  authorization: Authorization,
  settler: SelfSettler,
): Promise<Sent> {
  const data = transferCall(authorization)
  const plan = await settlementPlan(deps, attempt, data, settler.relayer.address)
  if (plan.kind === "would_fail") {
    // A third party may have submitted it already. Only the chain can tell, so the attempt is watched as if it was sent.
    return askTheChain(deps, attempt, "estimate failed")
  }
  return plan.kind === "ready" ? signAndSend(deps, attempt, "VERIFIED", data, plan.gas, settler) : plan
}

/**
 * Sends a SETTLING attempt with a new relayer nonce, when none of its transactions can be mined any more: a foreign transaction took its
 * nonce, or none was signed because the authorization seemed used. However many transactions carry the authorization, it pays at most once.
 */
export async function settleAgain(deps: SettleDeps, attempt: Attempt, settler: SelfSettler): Promise<void> {
  const { store } = deps
  const { allocated, sent } = await store.read(function* () {
    return { allocated: yield* noncesOfAttempt(attempt.id), sent: yield* transactionsOfAttempt(attempt.id) }
  })
  if (attempt.payloadJson === null || allocated.some(({ state }) => state !== "MINED")) return
  for (const { txHash } of sent) {
    const mined = await queryNode(() => canonicalReceipt(deps.payments.chain.primary, txHash as Hex))
    // One of them reverted, so another would burn gas too. A node that does not respond is queried again at the next look.
    if (mined === UNANSWERED || mined !== null) return
  }
  const data = transferCall(storedAuthorization(attempt.payloadJson))
  const plan = await settlementPlan(deps, attempt, data, settler.relayer.address)
  if (plan.kind === "ready") await signAndSend(deps, attempt, "SETTLING", data, plan.gas, settler)
}

async function signAndSend(
  deps: SettleDeps,
  attempt: Attempt,
  from: "VERIFIED" | "SETTLING",
  data: Hex,
  gas: Gas,
  { relayer, count }: SelfSettler,
): Promise<Sent> {
  const { store, machine, payments, owner, log } = deps
  const next = await store.read(() => nextLedgerNonce(relayer.address))
  const taken = await queryNode(() => count.taken(next ?? 0))
  if (taken === UNANSWERED) return { kind: "not_sent", code: "CHAIN_UNAVAILABLE" }
  if (taken === null) {
    log.error("relayer_count_implausible", { next_nonce: next ?? 0 })
    return { kind: "not_sent", code: "CHAIN_UNAVAILABLE" }
  }
  const allocatedAt = formatInstant(machine.now())
  const nonce = await store.run(() => allocateNonce(relayer.address, attempt.id, taken, allocatedAt))
  await deps.trace?.("nonce_allocated")

  const signed = await relayer.sign({ to: payments.chain.asset.address, data }, nonce, gas)
  const at = formatInstant(machine.now())
  const stored = await store.runInPlace(function* (): Unit<boolean> {
    const current = yield* findAttempt(attempt.id)
    if (current?.state !== from || current.leaseOwner !== owner) return false
    const transaction = {
      txHash: signed.hash,
      relayer: relayer.address,
      nonce,
      raw: signed.raw,
      maxFeeWei: String(gas.maxFeePerGas),
      createdAt: at,
    }
    if (!(yield* storeTransaction(transaction, attempt.id))) return false
    return yield* moveAttempt(attempt.id, from, "SETTLING", owner, at, signed.hash)
  })
  if (!stored) return { kind: "lost" }
  await deps.trace?.("settling_stored")
  await broadcast(payments.chain.primary, signed.raw)
  await deps.trace?.("broadcast")
  return { kind: "settling" }
}

type Plan = Extract<Sent, { kind: "not_sent" | "refused" }> | Extract<GasPlan, { kind: "ready" | "would_fail" }>

async function settlementPlan(deps: SettleDeps, attempt: Attempt, data: Hex, relayer: Address): Promise<Plan> {
  const { store, machine, payments } = deps
  const payerHasCode = attempt.payerHasCode === 1
  const day = formatInstant(machine.now()).slice(0, 10)
  const { payerCodeHash } = attempt
  if (payerCodeHash !== null) {
    const burned = await store.read(() => gasBurned(payerCodeHash, day))
    if (burned >= payments.burnedGasDailyWei) return { kind: "refused", reason: "gas_budget_of_this_wallet_spent" }
  }
  const head = await queryNode(() => payments.chain.primary.block("latest"))
  if (head === UNANSWERED) return { kind: "not_sent", code: "CHAIN_UNAVAILABLE" }
  if (attempt.validBefore < head.timestamp + VALIDITY_LEFT_SECONDS_MIN)
    return { kind: "not_sent", code: "AUTHORIZATION_TOO_OLD" }
  const plan = await queryNode(() =>
    planGas(payments.chain, relayer, { data, payerHasCode }, BigInt(attempt.value), payments.gasPolicy),
  )
  if (plan === UNANSWERED) return { kind: "not_sent", code: "CHAIN_UNAVAILABLE" }
  switch (plan.kind) {
    case "not_now":
      return { kind: "not_sent", code: plan.code }
    case "refused":
      return { kind: "refused", reason: plan.reason }
    default:
      return plan
  }
}

/** Moves to SETTLING without sending a transaction. The authorization may be used already, and only the chain ends the attempt. */
export async function askTheChain(deps: SettleDeps, attempt: Attempt, why: string): Promise<Sent> {
  return movedToSettling(await deps.store.run(() => settlingUnit(deps, attempt, why)))
}

function settlingUnit({ machine, owner }: SettleDeps, attempt: Attempt, why: string): Unit<boolean> {
  return moveAttempt(attempt.id, "VERIFIED", "SETTLING", owner, formatInstant(machine.now()), why)
}

const movedToSettling = (moved: boolean): Sent => (moved ? { kind: "settling" } : { kind: "lost" })

/** SETTLING is committed before anything is sent to the facilitator. The facilitator's response is only a hint (rulings 38). */
async function sendHosted(deps: SettleDeps, attempt: Attempt, settler: HostedParts): Promise<Sent> {
  const why = "handed to the hosted facilitator"
  const sent = movedToSettling(await deps.store.runInPlace(() => settlingUnit(deps, attempt, why)))
  if (sent.kind !== "settling") return sent
  await deps.trace?.("settling_stored")
  await handOver(settler, attempt, deps.machine.monotonic)
  await deps.trace?.("broadcast")
  return sent
}

const UNANSWERED = Symbol("a node did not answer")

async function queryNode<T>(question: () => Promise<T>): Promise<T | typeof UNANSWERED> {
  try {
    return await question()
  } catch (error) {
    if (error instanceof RpcUnavailable) return UNANSWERED
    throw error
  }
}
