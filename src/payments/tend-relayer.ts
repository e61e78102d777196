/**
 * Keeps the relayer's nonces moving: marks mined ones, books gas that reverted settlements burned, sends waiting ones again with
 * a higher fee, and fills nonces nobody will use, since every later nonce waits for them (rulings 36).
 */
import type { Hex } from "viem"
import { formatInstant, instant, MINUTE } from "../core/time.ts"
import { findAttempt } from "../store/attempts.ts"
import {
  bookBurnedGas,
  detachNonce,
  lastMinedNonce,
  markMined,
  openNonces,
  type RelayerNonce,
  reopenNonces,
  storeTransaction,
  transactionsOf,
} from "../store/relayer-ledger.ts"
import type { Unit } from "../store/unit.ts"
import { currentFees, GAS_LIMIT_MAX, replacementFees } from "./gas.ts"
import { broadcast, type Relayer } from "./relayer.ts"
import { RpcUnavailable } from "./rpc.ts"
import type { SettleDeps } from "./settle.ts"

/** A transaction that waits longer than this is sent again with a higher fee. */
const FEE_RAISE_AFTER_MS = 30_000
/** Fee raises of one nonce; after that it is only sent again. */
const FEE_RAISES_MAX = 8
/**
 * States in which an attempt may still sign for a nonce without a raw transaction. Not SETTLING: its raw transaction was stored in
 * the very unit that moved it there, so another nonce of such an attempt is left over from a killed worker and blocks its own payment.
 */
const SIGNING_STATES = new Set(["RESERVED", "VERIFIED"])

/** How long a mined nonce is watched for a reorganization; Base's blocks are safe within a few minutes. */
const REORGANIZATION_MS = 10 * MINUTE

/** One round over the open nonces of this database's relayer. Returns how many it filled. Does nothing while the node is away. */
export async function tendRelayer(deps: SettleDeps, relayer: Relayer): Promise<number> {
  const { store, machine, payments } = deps
  const { address } = relayer
  const now = machine.now()
  const [open, lastMined] = await store.read(function* () {
    return [yield* openNonces(address), yield* lastMinedNonce(address, formatInstant(now - REORGANIZATION_MS))] as const
  })
  if (open.length === 0 && lastMined === null) return 0
  try {
    const mined = await payments.chain.primary.ask("eth_getTransactionCount", (client) =>
      client.getTransactionCount({ address, blockTag: "latest" }),
    )
    // A replaced block gives nonces back, and every later one waits for them; they are sent again in the next round.
    if (lastMined !== null && lastMined >= mined) {
      await store.run(() => reopenNonces(address, mined, formatInstant(now)))
    }
    let filled = 0
    for (const nonce of open) {
      if (nonce.nonce < mined) await concludeNonce(deps, nonce)
      else if (nonce.state === "STORED") await resend(deps, relayer, nonce)
      else if (nonce.attemptState === null || !SIGNING_STATES.has(nonce.attemptState)) {
        if (await fill(deps, relayer, nonce)) filled++
      }
    }
    return filled
  } catch (error) {
    if (error instanceof RpcUnavailable) return 0
    throw error
  }
}

async function concludeNonce(deps: SettleDeps, { relayer, nonce, attemptId }: RelayerNonce): Promise<void> {
  const { store, machine } = deps
  const sent = await store.read(() => transactionsOf(relayer, nonce))
  const attempt = attemptId === null ? null : await store.read(() => findAttempt(attemptId))
  const codeHash = attempt?.payerCodeHash ?? null
  let burnedWei = 0n
  if (codeHash !== null) {
    for (const { txHash } of sent) burnedWei += await revertedCost(deps, txHash as Hex)
  }
  const at = formatInstant(machine.now())
  await store.run(function* (): Unit<void> {
    yield* markMined(relayer, nonce, at)
    if (codeHash !== null && burnedWei > 0n) yield* bookBurnedGas(codeHash, at.slice(0, 10), burnedWei)
  })
}

async function revertedCost(deps: SettleDeps, hash: Hex): Promise<bigint> {
  return deps.payments.chain.primary.ask("eth_getTransactionReceipt", async (client) => {
    const receipt = await client.request({ method: "eth_getTransactionReceipt", params: [hash] })
    return receipt?.status === "0x0" ? BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice) : 0n
  })
}

async function fill(deps: SettleDeps, relayer: Relayer, { nonce }: RelayerNonce): Promise<boolean> {
  const { store, machine, payments } = deps
  const at = formatInstant(machine.now())
  if (!(await store.run(() => detachNonce(relayer.address, nonce, at)))) return false
  const node = payments.chain.primary
  const fees = await currentFees(node, await node.block("latest"), payments.gasPolicy)
  const signed = await relayer.signFill(nonce, { gasLimit: GAS_LIMIT_MAX, ...fees })
  const transaction = {
    txHash: signed.hash,
    relayer: relayer.address,
    nonce,
    raw: signed.raw,
    maxFeeWei: String(fees.maxFeePerGas),
    createdAt: at,
  }
  if (!(await store.run(() => storeTransaction(transaction, null)))) return false
  await broadcast(node, signed.raw)
  return true
}

async function resend(deps: SettleDeps, relayer: Relayer, { nonce, attemptId }: RelayerNonce): Promise<void> {
  const { store, machine, payments } = deps
  const node = payments.chain.primary
  const sent = await store.read(() => transactionsOf(relayer.address, nonce))
  const [newest] = sent
  if (!newest) return
  const now = machine.now()
  if (now - instant(newest.createdAt) < FEE_RAISE_AFTER_MS || sent.length > FEE_RAISES_MAX) {
    await broadcast(node, newest.raw as Hex)
    return
  }
  const current = await currentFees(node, await node.block("latest"), payments.gasPolicy)
  const raised = await relayer.resign(newest.raw as Hex, (previous) => replacementFees(previous, current))
  const stored = await store.run(() =>
    storeTransaction(
      {
        txHash: raised.hash,
        relayer: relayer.address,
        nonce,
        raw: raised.raw,
        maxFeeWei: String(raised.maxFeePerGas),
        createdAt: formatInstant(now),
      },
      attemptId,
    ),
  )
  if (stored) await broadcast(node, raised.raw)
}
