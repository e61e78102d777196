/**
 * Sends one verified attempt to the chain, in two units, because no lock is held during RPC. Unit A allocates the relayer nonce. Unit B
 * stores the signed transaction and moves VERIFIED to SETTLING. INVARIANT: nothing is broadcast unless B changed that row (rulings 35, 36).
 */
import { type Hex, size } from "viem"
import type { Log } from "../base/log.ts"
import type { Machine } from "../base/machine.ts"
import { formatInstant } from "../core/time.ts"
import type { Store, Unit } from "../store/engine/unit.ts"
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
import { type Authorization, hasBegun, settlingForm } from "./authorization.ts"
import { type Gas, type GasPlan, planGas, queryGas } from "./gas.ts"
import { handOver, storedAuthorization } from "./hand-over.ts"
import type { HostedParts, Payments, SelfSettler } from "./payments.ts"
import { canonicalReceipt } from "./receipt.ts"
import { broadcast } from "./relayer.ts"
import { judgedLater, RpcUnavailable } from "./rpc.ts"
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

type NotSent = "CHAIN_UNAVAILABLE" | "GAS_TOO_EXPENSIVE" | "RELAYER_UNFUNDED" | "AUTHORIZATION_TOO_OLD"

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
  const data = transferCall(settlingForm(authorization, attempt.payerHasCode === 1))
  const plan = await settlementPlan(deps, attempt, data, settler)
  switch (plan.kind) {
    case "ready":
      return signAndSend(deps, attempt, { from: "VERIFIED", data, ...plan }, settler)
    case "too_early":
      return askTheChain(deps, attempt, NOT_VALID_YET)
    case "would_fail":
      // A third party may have submitted it already. Only the chain can tell, so the attempt is watched as if it was sent.
      return askTheChain(deps, attempt, "estimate failed")
    default:
      return plan
  }
}

/** The attempt waits in SETTLING for the first block past `validAfter`, and {@link settleAgain} sends it then (rulings 93). */
const NOT_VALID_YET = "waits for the first block past validAfter"

/**
 * Sends a SETTLING attempt when none of its transactions can pay: none was signed because its window had not begun or it seemed used, a
 * foreign transaction took the relayer's nonce, or it was mined too early. The new transaction has a new relayer nonce. However many
 * transactions carry the authorization, it pays at most once. `sendable`: see `Observation`.
 */
export async function settleAgain(deps: SettleDeps, attempt: Attempt, sendable: boolean): Promise<void> {
  const { settler } = deps.payments
  if (attempt.payloadJson === null) return
  if (settler.kind === "http") {
    if (attempt.settler === "http" && sendable) await handOver(settler, attempt, deps.machine.monotonic)
    return
  }
  if (await isOnItsWay(deps, attempt, sendable)) return
  const data = transferCall(storedAuthorization(attempt, attempt.payloadJson))
  const plan = await settlementPlan(deps, attempt, data, settler)
  if (plan.kind === "ready") await signAndSend(deps, attempt, { from: "SETTLING", data, ...plan }, settler)
}

/** Whether a transaction of the attempt may pay, or another one would only burn gas. */
async function isOnItsWay({ store, payments }: SettleDeps, attempt: Attempt, sendable: boolean): Promise<boolean> {
  const { allocated, sent } = await store.read(function* () {
    return { allocated: yield* noncesOfAttempt(attempt.id), sent: yield* transactionsOfAttempt(attempt.id) }
  })
  if (allocated.some(({ state }) => state === "ALLOCATED")) return true
  if (sendable) return false
  if (allocated.some(({ state }) => state !== "MINED")) return true
  for (const { txHash } of sent) {
    const mined = await queryNode(() => canonicalReceipt(payments.chain.primary, txHash as Hex))
    // One of them reverted in its window. A node that does not respond is queried again at the next poll.
    if (mined === UNANSWERED || (mined !== null && hasBegun(attempt, mined.blockSeconds))) return true
  }
  return false
}

/** A transfer whose gas is planned. */
interface PlannedTransfer {
  /** The state in which the attempt was planned. */
  readonly from: "VERIFIED" | "SETTLING"
  /** The call of the asset. */
  readonly data: Hex
  readonly gas: Gas
  /** The lowest nonce of the relayer that the chain leaves free. */
  readonly taken: number
}

async function signAndSend(
  deps: SettleDeps,
  attempt: Attempt,
  { from, data, gas, taken }: PlannedTransfer,
  { relayer }: SelfSettler,
): Promise<Sent> {
  const { store, machine, payments, owner } = deps
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
    return yield* moveAttempt(attempt.id, owner, { from, to: "SETTLING", at, detail: signed.hash })
  })
  if (!stored) return { kind: "lost" }
  await deps.trace?.("settling_stored")
  await broadcast(payments.chain.primary, signed.raw)
  await deps.trace?.("broadcast")
  return { kind: "settling" }
}

type Plan =
  | Extract<Sent, { kind: "not_sent" | "refused" }>
  | Extract<GasPlan, { kind: "would_fail" }>
  | (Pick<PlannedTransfer, "gas" | "taken"> & { readonly kind: "ready" })
  /** No block is past `validAfter` yet, so the next one might revert the transfer. */
  | { readonly kind: "too_early" }

async function settlementPlan(
  deps: SettleDeps,
  attempt: Attempt,
  data: Hex,
  { relayer, count }: SelfSettler,
): Promise<Plan> {
  const { store, machine, payments, log } = deps
  const payerHasCode = attempt.payerHasCode === 1
  const day = formatInstant(machine.now()).slice(0, 10)
  const { payerCodeHash } = attempt
  if (payerCodeHash !== null) {
    const burned = await store.read(() => gasBurned(payerCodeHash, day))
    if (burned >= payments.burnedGasDailyWei) return { kind: "refused", reason: "gas_budget_of_this_wallet_spent" }
  }
  const next = (await store.read(() => nextLedgerNonce(relayer.address))) ?? 0
  // Asked in one turn, judged in the order below. The head is asked again: by the one that verified, a transfer could be sent too late.
  const answers = queryGas(payments.chain, relayer.address, size(data))
  const counted = judgedLater(count.taken(next))
  const head = await queryNode(() => answers.head)
  if (head === UNANSWERED) return { kind: "not_sent", code: "CHAIN_UNAVAILABLE" }
  if (attempt.validBefore < head.timestamp + VALIDITY_LEFT_SECONDS_MIN)
    return { kind: "not_sent", code: "AUTHORIZATION_TOO_OLD" }
  if (!hasBegun(attempt, head.timestamp)) return { kind: "too_early" }
  const call = { data, payerHasCode, answers }
  const plan = await queryNode(() => planGas(payments, relayer.address, call, BigInt(attempt.value)))
  if (plan === UNANSWERED) return { kind: "not_sent", code: "CHAIN_UNAVAILABLE" }
  switch (plan.kind) {
    case "ready": {
      const taken = await queryNode(() => counted)
      if (taken === null) log.error("relayer_count_implausible", { next_nonce: next })
      if (taken === null || taken === UNANSWERED) return { kind: "not_sent", code: "CHAIN_UNAVAILABLE" }
      return { kind: "ready", gas: plan.gas, taken }
    }
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
  return moveAttempt(attempt.id, owner, {
    from: "VERIFIED",
    to: "SETTLING",
    at: formatInstant(machine.now()),
    detail: why,
  })
}

const movedToSettling = (moved: boolean): Sent => (moved ? { kind: "settling" } : { kind: "lost" })

/**
 * SETTLING is committed before anything is sent to the facilitator. The facilitator's response is only a hint (rulings 38). An authorization
 * whose window has not begun is handed over later, by {@link settleAgain}.
 */
async function sendHosted(deps: SettleDeps, attempt: Attempt, settler: HostedParts): Promise<Sent> {
  const head = attempt.validAfter === 0 ? null : await queryNode(() => deps.payments.chain.primary.block("latest"))
  if (head === UNANSWERED) return { kind: "not_sent", code: "CHAIN_UNAVAILABLE" }
  const isEarly = head !== null && !hasBegun(attempt, head.timestamp)
  const why = isEarly ? NOT_VALID_YET : "handed to the hosted facilitator"
  const sent = movedToSettling(await deps.store.runInPlace(() => settlingUnit(deps, attempt, why)))
  if (sent.kind !== "settling") return sent
  await deps.trace?.("settling_stored")
  if (isEarly) return sent
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
