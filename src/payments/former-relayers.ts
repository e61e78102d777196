/**
 * Relayers whose key the operator replaced. Stored bytes need no key, so every process sends them again, with the old key or without it, and
 * books what the chain mined. Only the old key can raise a fee or fill a nonce that has no bytes.
 *
 * CHOICE: the new key signs nothing for an authorization while a transaction of the old key may still move it, also when that transaction
 * waits behind a nonce that nobody can fill. Two transactions never pay twice, but the second one reverts and burns gas. Such a payment ends
 * by the chain alone (rulings 34), within minutes, and then its buyer can pay again.
 */
import type { Hex } from "viem"
import { instant, MINUTE, SECOND } from "../core/time.ts"
import { recordSettlement } from "../store/payments/current-relayer.ts"
import { newestMined } from "../store/payments/mined-nonces.ts"
import { openNonces, relayersInLedger, sendableOf, transactionsOf } from "../store/payments/relayer-ledger.ts"
import { concludeMined, REORGANIZATION_MS, reopenUnmined } from "./maintain-relayer.ts"
import type { Payments, Settler } from "./payments.ts"
import { broadcast } from "./relayer.ts"
import { safeCount, transactionCount } from "./relayer-count.ts"
import { RpcUnavailable } from "./rpc.ts"
import type { SettleDeps } from "./settle.ts"
import { mayStillPay } from "./waiting-nonce.ts"

/** A nonce is checked until this long after its authorization ended by this machine's clock, which may be behind the chain's. */
const CHECKED_MS = 10 * MINUTE

/** Those whose relayer this process has recorded. */
const recorded = new WeakSet<Payments>()

/** Empty when a facilitator settles. */
function ownRelayer(settler: Settler): string {
  return settler.kind === "self" ? settler.relayer.address : ""
}

/** Once for each process, so that two processes with two keys do not write in turns. */
async function noteChange({ store, payments, log }: SettleDeps, own: string): Promise<void> {
  if (recorded.has(payments)) return
  const before = await store.run(() => recordSettlement({ relayer: own, payTo: payments.payTo }))
  recorded.add(payments)
  if (before !== null && before.relayer !== own) log.warn("relayer_changed", { from: before.relayer, to: own })
}

/** Runs one round. Returns the attempts whose transaction waits behind a nonce without bytes. */
export async function maintainFormerRelayers(deps: SettleDeps): Promise<readonly string[]> {
  const own = ownRelayer(deps.payments.settler)
  await noteChange(deps, own)
  const former = (await deps.store.read(relayersInLedger)).filter((address) => address !== own)
  const behindGap: string[] = []
  for (const address of former) behindGap.push(...(await maintainFormer(deps, address as Hex)))
  return behindGap
}

async function maintainFormer(deps: SettleDeps, address: Hex): Promise<readonly string[]> {
  const { store, machine, payments } = deps
  const now = machine.now()
  const [open, newest] = await store.read(function* () {
    return [yield* openNonces(address), yield* newestMined(address)] as const
  })
  const isRecent = open.some(({ validBefore }) => validBefore !== null && validBefore * SECOND + CHECKED_MS > now)
  if (!isRecent && (!newest || now - instant(newest.updatedAt) > REORGANIZATION_MS)) return []
  try {
    const count = await transactionCount(payments.chain.primary, address, "latest")
    await reopenUnmined(deps, address, count)
    return await sendStored(deps, address, count)
  } catch (error) {
    if (error instanceof RpcUnavailable) return []
    throw error
  }
}

/** Later transactions wait for the lower ones, so also one that can no longer pay is sent, while a payment waits behind it. */
async function sendStored(deps: SettleDeps, address: Hex, count: number): Promise<readonly string[]> {
  const { store, payments } = deps
  const { primary } = payments.chain
  const [open, head] = await Promise.all([store.read(() => openNonces(address)), primary.block("latest")])
  const last = open.findLastIndex((nonce) => nonce.state === "STORED" && mayStillPay(nonce, head))
  const behindGap: string[] = []
  let next = count
  for (const [at, nonce] of open.entries()) {
    if (nonce.nonce < count) {
      const sent = await store.read(() => transactionsOf(address, nonce.nonce))
      await concludeMined(deps, nonce, sent, () => safeCount(payments.chain, address))
      continue
    }
    if (at > last || nonce.state !== "STORED") continue
    if (nonce.nonce === next) next++
    else if (nonce.attemptId !== null && mayStillPay(nonce, head)) behindGap.push(nonce.attemptId)
    const [newest] = await store.read(() => sendableOf(address, nonce.nonce))
    if (newest) await broadcast(primary, newest.raw as Hex)
  }
  return behindGap
}
