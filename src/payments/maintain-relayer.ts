/**
 * Gets every allocated relayer nonce mined, because later nonces wait for the lowest one. Each nonce below the newest is mined by its own
 * payment or by a zero self-transfer (rulings 36).
 */
import type { Hex, TransactionReceipt } from "viem"
import { concurrently } from "../base/concurrently.ts"
import { formatInstant, instant, MINUTE } from "../core/time.ts"
import type { Unit } from "../store/engine/unit.ts"
import { findAttempt } from "../store/payments/attempts.ts"
import { bookBurnedGas } from "../store/payments/burned-gas.ts"
import { markMined, minedNonces, newestMined, reopenNonce } from "../store/payments/mined-nonces.ts"
import {
  allocateGap,
  eraseBytes,
  knownNonces,
  type OpenNonce,
  openNonces,
  type RelayerTransaction,
  transactionsOf,
} from "../store/payments/relayer-ledger.ts"
import type { SelfSettler } from "./payments.ts"
import { canonicalReceipt } from "./receipt.ts"
import { safeCount } from "./relayer-count.ts"
import { RpcUnavailable } from "./rpc.ts"
import type { SettleDeps } from "./settle.ts"
import { fillNonce, mayStillSign, sendWaiting } from "./waiting-nonce.ts"

/** How long a relayer without open nonces is watched for a reorganization. Base blocks are safe within a few minutes. */
export const REORGANIZATION_MS = 10 * MINUTE
/** Limit of missing nonces that one round adds below the lowest open one. A larger gap means that the count is wrong. */
const GAP_NONCES_MAX = 256
/** Mined nonces that one round concludes concurrently. */
const CONCLUDED_AT_ONCE = 8

/** Runs one round. Returns how many nonces it filled. Does nothing while the node is unavailable. */
export async function maintainRelayer(deps: SettleDeps, settler: SelfSettler): Promise<number> {
  const { store, machine } = deps
  const { address } = settler.relayer
  const [open, newest] = await store.read(function* () {
    return [yield* openNonces(address), yield* newestMined(address)] as const
  })
  if (open.length === 0 && (!newest || machine.now() - instant(newest.updatedAt) > REORGANIZATION_MS)) return 0
  try {
    return await maintain(deps, settler, open)
  } catch (error) {
    if (error instanceof RpcUnavailable) return 0
    throw error
  }
}

async function maintain(deps: SettleDeps, settler: SelfSettler, open: readonly OpenNonce[]): Promise<number> {
  const { store, payments } = deps
  const { relayer } = settler
  const { address } = relayer
  const count = await settler.count.mined()
  await reopenUnmined(deps, address, count)
  const [lowest] = open
  if (lowest) await takeInGap(deps, address, count, lowest.nonce)

  const waiting = await store.read(() => openNonces(address))
  const mined = waiting.filter(({ nonce }) => nonce < count)
  /** Queried at most once, and only when a nonce needs it. */
  let safe: Promise<number | null> | null = null
  const safeOnce = () => (safe ??= safeCount(payments.chain, address))
  // One unit reads the transactions of all, so the questions about their receipts share a turn, whatever each read would take.
  const sent = await store.read(() => transactionsOfEach(mined))
  await concurrently(sent, CONCLUDED_AT_ONCE, ([nonce, own]) => concludeMined(deps, nonce, own, safeOnce))
  const unmined = waiting.filter(({ nonce }) => nonce >= count)
  if (unmined.length === 0) return 0
  const head = await payments.chain.primary.block("latest")
  let filled = 0
  for (const nonce of unmined) {
    if (nonce.state === "STORED") await sendWaiting(deps, relayer, nonce, head)
    else if (!mayStillSign(nonce) && (await fillNonce(deps, relayer, nonce.nonce, head))) filled++
  }
  return filled
}

/** A replaced block reopens its nonces. A nonce whose transaction the chain still holds stays mined, whatever the count says. */
export async function reopenUnmined(deps: SettleDeps, address: string, count: number): Promise<void> {
  const { store, machine, log } = deps
  for (const { nonce } of await store.read(() => minedNonces(address, count))) {
    const sent = await store.read(() => transactionsOf(address, nonce))
    if ((await receiptsOf(deps, sent)).length > 0) continue
    if (await store.run(() => reopenNonce(address, nonce, formatInstant(machine.now())))) {
      log.warn("relayer_nonce_reopened", { nonce })
    }
  }
}

/** Adds the nonces between the chain's count and the lowest open one that the ledger never allocated. Nobody else will fill them. */
async function takeInGap(deps: SettleDeps, address: string, count: number, lowest: number): Promise<void> {
  const { store, machine, log } = deps
  if (lowest <= count) return
  if (lowest - count > GAP_NONCES_MAX) {
    log.error("relayer_count_implausible", { chain_count: count, lowest_open_nonce: lowest })
    return
  }
  const known = new Set(await store.read(() => knownNonces(address, count, lowest)))
  const missing = Array.from({ length: lowest - count }, (_, i) => count + i).filter((nonce) => !known.has(nonce))
  const [first] = missing
  if (first === undefined) return
  log.warn("relayer_nonce_gap", { first, nonces: missing.length })
  const at = formatInstant(machine.now())
  await store.run(function* (): Unit<void> {
    for (const nonce of missing) yield* allocateGap(address, nonce, at)
  })
}

function* transactionsOfEach(nonces: readonly OpenNonce[]): Unit<[OpenNonce, RelayerTransaction[]][]> {
  const sent: [OpenNonce, RelayerTransaction[]][] = []
  for (const nonce of nonces) sent.push([nonce, yield* transactionsOf(nonce.relayer, nonce.nonce)])
  return sent
}

/** The receipts that the chain holds for the relayer's own transactions of one nonce. */
async function receiptsOf(deps: SettleDeps, sent: readonly RelayerTransaction[]): Promise<TransactionReceipt[]> {
  const { primary } = deps.payments.chain
  const receipts = await Promise.all(sent.map(({ txHash }) => canonicalReceipt(primary, txHash as Hex)))
  return receipts.filter((receipt) => receipt !== null)
}

/**
 * A nonce is mined when the chain holds one of the relayer's transactions for it. Otherwise only a safe block past it proves that another
 * transaction took it, because the count at the head may be wrong for a while.
 */
export async function concludeMined(
  deps: SettleDeps,
  { relayer, nonce, attemptId }: OpenNonce,
  sent: readonly RelayerTransaction[],
  countSafe: () => Promise<number | null>,
): Promise<void> {
  const { store, machine, log } = deps
  const receipts = await receiptsOf(deps, sent)
  if (receipts.length === 0) {
    const safe = await countSafe()
    if (safe === null || safe <= nonce) return
    log.warn("relayer_nonce_used_elsewhere", { nonce })
  }
  const attempt = attemptId === null ? null : await store.read(() => findAttempt(attemptId))
  const codeHash = attempt?.payerCodeHash ?? null
  const burnedWei = receipts
    .filter(({ status }) => status === "reverted")
    .reduce((sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice, 0n)
  const at = formatInstant(machine.now())
  await store.run(function* (): Unit<void> {
    // Each instance finds the nonce, and the gas was burned once.
    if (!(yield* markMined(relayer, nonce, at))) return
    // Its payment may have become safe since it was read.
    if (attemptId !== null) yield* eraseBytes(attemptId)
    if (codeHash !== null && burnedWei > 0n) yield* bookBurnedGas(codeHash, at.slice(0, 10), burnedWei)
  })
}
