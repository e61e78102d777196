/**
 * The provider's transactions. The nonce and the signed bytes are stored with the move of the job before anything is sent. Until its
 * transaction is in a safe block an action is sent again, with a higher fee after a wait, or under another nonce if a foreign transaction
 * took its own. The contract accepts one submission, so a repeated one does nothing.
 */
import { type Address, type Hex, parseTransaction } from "viem"
import { formatInstant, instant } from "../core/time.ts"
import { currentFees, type Gas, replacementFees } from "../payments/gas.ts"
import { canonicalReceipt } from "../payments/receipt.ts"
import { broadcast, type SignedTransaction } from "../payments/relayer.ts"
import { transactionCount } from "../payments/relayer-count.ts"
import { CallFailed } from "../payments/rpc.ts"
import type { Unit } from "../store/engine/unit.ts"
import {
  type ActionRow,
  type ActionTransaction,
  actionTransactions,
  closeAction,
  findAction,
  type JobAction,
  nextWalletNonce,
  openAction,
  openActions,
  renumberAction,
  reopenAction,
  storeActionTransaction,
} from "../store/jobs/job-actions.ts"
import { isHeld, type JobMove, moveJob } from "../store/jobs/job-moves.ts"
import { findJob, isReplaceable, type Job, type JobState } from "../store/jobs/jobs.ts"
import { onEachNode } from "./chain-time.ts"
import type { AcpDeps } from "./deps.ts"

/** More gas than any call of the contract needs; a hook could ask for more, and jobs with a hook are refused. */
const GAS_MAX = 600_000n
/** A transaction that waits longer is sent again with a higher fee. */
const RAISE_AFTER_MS = 20_000
const RAISES_MAX = 8
/** How {@link broadcast} names the refusal of a used nonce. */
const NONCE_TOO_LOW = "nonce_too_low"
/** Nonces that one round fills at most. */
const GAPS_AT_ONCE = 8
/** How often the same action is signed anew because another action took its nonce meanwhile. */
const NONCE_TRIES = 5
/** Nonces under which one action is signed at most. Each failed transaction costs gas. */
const NONCES_OF_ACTION_MAX = 8

type Prepared = "PREPARED" | "WOULD_FAIL" | "LOST"

interface WantedAction {
  readonly job: Job
  readonly action: JobAction
  /** The call of the contract. */
  readonly data: Hex
}

/** Stores the action of a job with its transaction, moves the job, and sends the transaction. Throws RpcUnavailable. */
export function prepareAction(deps: AcpDeps, wanted: WantedAction, to: JobState): Promise<Prepared> {
  const { job, action } = wanted
  return signAndSend(deps, wanted, function* (row, at): Unit<boolean> {
    const move: JobMove = { job, owner: deps.owner, at, to, detail: `${action} nonce ${row.nonce}` }
    if (!(yield* moveJob(move))) return false
    if (!(yield* openAction(row, at))) throw new Error(`the job ${job.id} has its ${action}`)
    return true
  })
}

/**
 * Sends an action anew whose transaction failed in a safe block: the contract was paused at that moment, for instance. The contract accepts it
 * once, so only a failed one is repeated. Null when the action did not fail. Throws RpcUnavailable.
 */
export async function repeatFailedAction(deps: AcpDeps, wanted: WantedAction): Promise<Prepared | null> {
  const { job, action } = wanted
  const row = await deps.store.read(() => findAction(job.id, action))
  if (row?.state !== "REVERTED") return null
  const signed = await deps.store.read(() => actionTransactions(job.id, action))
  if (new Set(signed.map(({ nonce }) => nonce)).size >= NONCES_OF_ACTION_MAX) return "WOULD_FAIL"
  return signAndSend(deps, wanted, function* ({ nonce }, at): Unit<boolean> {
    return (yield* isHeld(job, deps.owner)) && (yield* reopenAction(row, nonce, at))
  })
}

/** `keep` stores the action in the same unit as its transaction. False: another worker has the job. */
async function signAndSend(
  deps: AcpDeps,
  { job, action, data }: WantedAction,
  keep: (row: Pick<ActionRow, "job" | "action" | "wallet" | "nonce">, at: string) => Unit<boolean>,
): Promise<Prepared> {
  const { store, machine, wallet } = deps
  const gas = await planGas(deps, data)
  if (gas === null) return "WOULD_FAIL"
  const mined = await minedCount(deps)
  for (let attempt = 0; attempt < NONCE_TRIES; attempt++) {
    const nonce = await store.read(() => nextWalletNonce(walletOf(deps), mined))
    const signed = await wallet.sign({ to: job.contract as Address, data }, nonce, gas)
    const at = formatInstant(machine.now())
    const row = { job: job.id, action, wallet: walletOf(deps), nonce }
    const stored = await store.runInPlace(function* (): Unit<"stored" | "again" | "lost"> {
      if ((yield* nextWalletNonce(row.wallet, mined)) !== nonce) return "again"
      if (!(yield* keep(row, at))) return "lost"
      yield* storeActionTransaction(transactionOf(row, signed, gas, at))
      return "stored"
    })
    if (stored === "lost") return "LOST"
    if (stored === "again") continue
    deps.log.info("acp_action_stored", { job: job.jobId, action, nonce, transaction: signed.hash })
    await deps.trace?.("action_stored")
    await broadcast(deps.chain.primary, signed.raw)
    await deps.trace?.("action_sent")
    return "PREPARED"
  }
  return "WOULD_FAIL"
}

function walletOf({ wallet }: AcpDeps): string {
  return wallet.address.toLowerCase()
}

/** Null when the call would fail now. */
async function planGas({ chain, wallet, offering, gasPolicy }: AcpDeps, data: Hex): Promise<Gas | null> {
  const node = chain.primary
  const fees = await currentFees(node, await node.block("latest"), gasPolicy)
  try {
    const call = { to: offering.contract as Address, data, from: wallet.address, gas: GAS_MAX }
    const padded = ((await node.estimateGas(call)) * 13n) / 10n
    return { gasLimit: padded < GAS_MAX ? padded : GAS_MAX, ...fees }
  } catch (error) {
    if (error instanceof CallFailed) return null
    throw error
  }
}

/** The wallet's number of mined transactions, by the node that knows most. */
async function minedCount({ chain, wallet }: AcpDeps): Promise<number> {
  const counts = await onEachNode(chain, (node) => transactionCount(node, wallet.address, "latest"))
  return Math.max(...counts)
}

function transactionOf(
  { job, action, nonce }: Pick<ActionRow, "job" | "action" | "nonce">,
  { raw, hash }: SignedTransaction,
  { maxFeePerGas }: Pick<Gas, "maxFeePerGas">,
  at: string,
): ActionTransaction {
  return { txHash: hash, job, action, nonce, raw, maxFeeWei: String(maxFeePerGas), createdAt: at }
}

/** Maintains every open action once of the wallet, lowest nonce first. Throws RpcUnavailable. */
export async function maintainActions(deps: AcpDeps): Promise<void> {
  const open = await deps.store.read(() => openActions(walletOf(deps)))
  if (open.length === 0) return
  const safe = await deps.chain.primary.block("safe")
  const counts = await onEachNode(deps.chain, (node) => transactionCount(node, deps.wallet.address, "safe"))
  for (const action of open) await maintain(deps, action, safe.number, Math.min(...counts))
  await fillGaps(deps)
}

/**
 * Fills the nonces below the highest open one that no action has: a node counted too many, or a reorganization dropped a foreign transaction.
 * Later transactions wait for them. A transfer of nothing to the wallet itself is harmless at any time, so it is not stored.
 */
async function fillGaps(deps: AcpDeps): Promise<void> {
  const { chain, wallet, store, gasPolicy, log } = deps
  const taken = new Set((await store.read(() => openActions(walletOf(deps)))).map(({ nonce }) => nonce))
  if (taken.size === 0) return
  // What waits in a pool is no gap.
  const first = Math.min(...(await onEachNode(chain, (node) => node.nextNonce(wallet.address))))
  const last = Math.min(Math.max(...taken), first + GAPS_AT_ONCE)
  for (let nonce = first; nonce < last; nonce++) {
    if (taken.has(nonce)) continue
    const node = chain.primary
    const fees = await currentFees(node, await node.block("latest"), gasPolicy)
    const { raw } = await wallet.signFill(nonce, { gasLimit: GAS_MAX, ...fees })
    log.warn("acp_nonce_filled", { nonce, response: (await broadcast(node, raw)).kind })
  }
}

async function maintain(deps: AcpDeps, open: ActionRow, safe: bigint, count: number): Promise<void> {
  const { store, machine, chain } = deps
  // One view, because another worker may sign the action under another nonce at any time.
  const [action, sent] = await store.read(function* () {
    return [yield* findAction(open.job, open.action), yield* actionTransactions(open.job, open.action)] as const
  })
  if (action?.state !== "OPEN") return
  for (const { txHash, nonce } of sent) {
    const receipt = await canonicalReceipt(chain.primary, txHash as Hex)
    if (!receipt) continue
    // The failure that made the action be signed under its present nonce.
    if (receipt.status !== "success" && nonce !== action.nonce) continue
    if (receipt.blockNumber > safe) return
    const state = receipt.status === "success" ? "SAFE" : "REVERTED"
    const isClosed = await store.run(() => closeAction(action, state, formatInstant(machine.now())))
    if (isClosed && state === "REVERTED")
      deps.log.warn("acp_action_reverted", { action: action.action, transaction: txHash })
    return
  }
  const [newest] = sent
  if (!newest) throw new Error("an action has no transaction")
  // A safe block of every node is past this nonce, the pool says the same, and none of our transactions is mined: a foreign one took it.
  const isTaken = count > action.nonce && (await broadcast(chain.primary, newest.raw as Hex)).detail === NONCE_TOO_LOW
  const job = await store.read(() => findJob(action.job))
  if (job !== null && isReplaceable(job)) await drop(deps, action, newest, isTaken)
  else if (isTaken) await renumber(deps, action, newest)
  else await sendAgain(deps, action, newest, sent.filter(({ nonce }) => nonce === action.nonce).length)
}

/** The job ended without it. Its nonce gets a transfer of nothing, because later transactions wait for the nonce. */
async function drop(deps: AcpDeps, action: ActionRow, newest: ActionTransaction, isTaken: boolean): Promise<void> {
  const { store, machine, wallet, chain, gasPolicy } = deps
  if (isTaken) {
    await store.run(() => closeAction(action, "REVERTED", formatInstant(machine.now())))
    return
  }
  const node = chain.primary
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(newest.raw as Hex)
  const current = await currentFees(node, await node.block("latest"), gasPolicy)
  const fees = replacementFees({ maxFeePerGas, maxPriorityFeePerGas }, current)
  await broadcast(node, (await wallet.signFill(action.nonce, { gasLimit: GAS_MAX, ...fees })).raw)
}

async function renumber(deps: AcpDeps, action: ActionRow, newest: ActionTransaction): Promise<void> {
  const { store, machine, wallet, offering } = deps
  const { data = "0x", gas = GAS_MAX } = parseTransaction(newest.raw as Hex)
  const node = deps.chain.primary
  const fees = await currentFees(node, await node.block("latest"), deps.gasPolicy)
  const mined = await minedCount(deps)
  const nonce = await store.read(() => nextWalletNonce(walletOf(deps), mined))
  const signed = await wallet.sign({ to: offering.contract as Address, data }, nonce, { gasLimit: gas, ...fees })
  const at = formatInstant(machine.now())
  const isStored = await store.run(function* (): Unit<boolean> {
    if ((yield* nextWalletNonce(action.wallet, mined)) !== nonce) return false
    if (!(yield* renumberAction(action, nonce, at))) return false
    yield* storeActionTransaction(transactionOf({ ...action, nonce }, signed, fees, at))
    return true
  })
  deps.log.warn("acp_nonce_used_elsewhere", { action: action.action, nonce: action.nonce })
  if (isStored) await broadcast(node, signed.raw)
}

async function sendAgain(
  deps: AcpDeps,
  action: ActionRow,
  newest: ActionTransaction,
  signedForNonce: number,
): Promise<void> {
  const { store, machine, wallet } = deps
  const node = deps.chain.primary
  const waited = machine.now() - instant(newest.createdAt)
  if ((waited >= 0 && waited < RAISE_AFTER_MS) || signedForNonce > RAISES_MAX) {
    await broadcast(node, newest.raw as Hex)
    return
  }
  const current = await currentFees(node, await node.block("latest"), deps.gasPolicy)
  const raised = await wallet.resign(newest.raw as Hex, (previous) => replacementFees(previous, current))
  const at = formatInstant(machine.now())
  await store.run(() => storeActionTransaction(transactionOf(action, raised, raised, at)))
  await broadcast(node, raised.raw)
}
