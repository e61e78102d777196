/**
 * Sends the transaction that waits for one relayer nonce. It sends a payment only while the attempt may still be paid. After that a zero
 * transfer to the relayer itself, with higher fees, takes the nonce, because every later nonce waits for it.
 */
import { type Hex, parseTransaction } from "viem"
import { formatInstant, instant } from "../core/time.ts"
import {
  detachNonce,
  type OpenNonce,
  type RelayerTransaction,
  sendableOf,
  storeReplacement,
  storeTransaction,
} from "../store/payments/relayer-ledger.ts"
import { currentFees, type Fees, replacementFees } from "./gas.ts"
import { broadcast, type Relayer, type SignedTransaction } from "./relayer.ts"
import type { Block } from "./rpc.ts"
import type { SettleDeps } from "./settle.ts"

/** A transaction that waits longer than this is sent again with a higher fee. */
const FEE_RAISE_AFTER_MS = 30_000
/** Limit of fee raises of one call. After that it is sent again unchanged. */
const FEE_RAISES_MAX = 8

/** Whether the nonce's payment may still pay. `head` is the newest block, because `validBefore` is compared with the chain's clock. */
export function mayStillPay({ attemptState, finality, validBefore }: OpenNonce, head: Block): boolean {
  if (validBefore === null || head.timestamp >= validBefore) return false
  return attemptState === "SETTLING" || (attemptState === "SETTLED" && finality === "INCLUDED")
}

/** States in which an attempt may still sign for a nonce without a transaction. */
const SIGNING_STATES = new Set(["RESERVED", "VERIFIED"])

export function mayStillSign({ attemptState }: OpenNonce): boolean {
  return attemptState !== null && SIGNING_STATES.has(attemptState)
}

/** Fills a nonce that has no transaction. Returns false when another worker was faster. */
export async function fillNonce(deps: SettleDeps, relayer: Relayer, nonce: number, head: Block): Promise<boolean> {
  const { store, machine, payments } = deps
  const at = formatInstant(machine.now())
  if (!(await store.run(() => detachNonce(relayer.address, nonce, at)))) return false
  const { primary: node, network } = payments.chain
  const fees = await currentFees(node, head, payments.gasPolicy)
  const signed = await relayer.signFill(nonce, { gasLimit: network.gas.limitMax, ...fees })
  if (!(await store.run(() => storeTransaction(row(relayer, nonce, { ...signed, ...fees }, at), null)))) return false
  await broadcast(node, signed.raw)
  return true
}

/** Sends a stored transaction again. Raises its fee after a wait, or replaces it when it may no longer pay. */
export async function sendWaiting(deps: SettleDeps, relayer: Relayer, waiting: OpenNonce, head: Block): Promise<void> {
  const { store, machine, payments } = deps
  const sent = await store.read(() => sendableOf(relayer.address, waiting.nonce))
  const [newest] = sent
  if (!newest) return
  const isFill = isSelfTransfer(newest.raw as Hex, relayer)
  if (!isFill && !mayStillPay(waiting, head)) return replace(deps, relayer, newest, head)
  const node = payments.chain.primary
  const raises = sent.filter(({ raw }) => isSelfTransfer(raw as Hex, relayer) === isFill).length - 1
  const waitedMs = machine.now() - instant(newest.createdAt)
  // A negative wait comes from a clock that was set back, so the real wait is unknown.
  if ((waitedMs >= 0 && waitedMs < FEE_RAISE_AFTER_MS) || raises >= FEE_RAISES_MAX) {
    await broadcast(node, newest.raw as Hex)
    return
  }
  const current = await currentFees(node, head, payments.gasPolicy)
  const raised = await relayer.resign(newest.raw as Hex, (previous) => replacementFees(previous, current))
  const transaction = row(relayer, waiting.nonce, raised, formatInstant(machine.now()))
  const stored = await store.run(() =>
    isFill ? storeReplacement(transaction) : storeTransaction(transaction, waiting.attemptId),
  )
  if (stored) await broadcast(node, raised.raw)
}

/** Sends the zero self-transfer in place of a payment that may no longer be made. The chain still decides the attempt's outcome. */
async function replace(
  deps: SettleDeps,
  relayer: Relayer,
  { nonce, raw }: Pick<RelayerTransaction, "nonce" | "raw">,
  head: Block,
): Promise<void> {
  const { store, machine, payments } = deps
  const { primary: node, network } = payments.chain
  const current = await currentFees(node, head, payments.gasPolicy)
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(raw as Hex)
  const fees = replacementFees({ maxFeePerGas, maxPriorityFeePerGas }, current)
  const signed = await relayer.signFill(nonce, { gasLimit: network.gas.limitMax, ...fees })
  const transaction = row(relayer, nonce, { ...signed, ...fees }, formatInstant(machine.now()))
  if (await store.run(() => storeReplacement(transaction))) await broadcast(node, signed.raw)
}

function isSelfTransfer(raw: Hex, relayer: Relayer): boolean {
  return parseTransaction(raw).to?.toLowerCase() === relayer.address.toLowerCase()
}

function row(
  relayer: Relayer,
  nonce: number,
  signed: SignedTransaction & Pick<Fees, "maxFeePerGas">,
  at: string,
): RelayerTransaction {
  return {
    txHash: signed.hash,
    relayer: relayer.address,
    nonce,
    raw: signed.raw,
    maxFeeWei: String(signed.maxFeePerGas),
    createdAt: at,
  }
}
