/**
 * The checks after the faults: every attempt ends, every payment is delivered or listed as owed, the counts match the deliveries, every
 * header gets its answer again, and each server sells to the next buyer without a restart.
 */
import type { Address } from "viem"
import { nonceName } from "./books.ts"
import { type BuyerNetwork, buy, PATIENCE_MS } from "./buyer.ts"
import type { AttemptRow, NonceRow } from "./database/changes.ts"
import { requireCounts } from "./inspectors/count-inspector.ts"
import { lastPurchase, recoveryBody } from "./purchase.ts"
import type { ServerProcess } from "./server-process.ts"
import type { Simulation } from "./simulation.ts"

/** Longest life of an authorization, blocks until one is safe, and time for the workers to look: virtual ms. */
const CALM_MS = 1_200_000
/**
 * For the longest freeze, a restart and a few rounds of the workers. A nonce open at the end of the faults waits for nothing else: a
 * payable transaction is sent again, and the other nonces are filled.
 */
const NONCE_MS = 240_000
const POLL_EVERY_MS = 2_000
/** For the last calls, when everything is settled. */
const CALLS_MS = 120_000

export function reckon(simulation: Simulation): void {
  awaitQuiet(simulation)
  requirePaidForMoved(simulation)
  presentAgain(simulation)
  sellAgain(simulation)
  awaitQuiet(simulation)
  requirePaidForMoved(simulation)
  requireCounts(simulation)
}

function awaitQuiet(simulation: Simulation): void {
  const { scheduler } = simulation
  const begun = scheduler.time
  const open = new Set([...openNonces(simulation)].map(nonceName))
  let nextPollAt = begun
  const isQuiet = simulation.runUntil(() => {
    if (scheduler.time < nextPollAt) return false
    nextPollAt = scheduler.time + POLL_EVERY_MS
    if (isAllDone(simulation)) return true
    if (scheduler.time > begun + NONCE_MS)
      for (const nonce of openNonces(simulation)) if (open.has(nonceName(nonce))) toldGap(simulation, nonce)
    return false
  }, begun + CALM_MS)
  if (isQuiet) return
  const { books } = simulation
  for (const attempt of books.attempts.values()) {
    const { id, state, watched, finality } = attempt
    if (isOpen(attempt))
      simulation.violate("attempt_never_ends", `${id} is ${state}, watched ${watched}, finality ${finality}`, [id])
  }
  for (const nonce of openNonces(simulation)) toldGap(simulation, nonce)
  simulation.requireSound()
}

/**
 * Nonces that must be used up. Of a key that no process has any more, only those that the chain has used: nobody can fill the others, and
 * their payments end by the chain alone.
 */
function* openNonces({ books, servers, chain }: Simulation): Generator<NonceRow> {
  const inUse = servers.relayerKeys.inUse
  const { ledger, safe } = chain.model
  for (const nonce of books.nonces.values()) {
    if (nonce.state === "MINED") continue
    const isUsed = nonce.nonce < ledger.nonce(nonce.relayer.toLowerCase() as Address, safe.number)
    if (inUse.has(nonce.relayer) || (isUsed && nonce.attemptId !== null)) yield nonce
  }
}

function toldGap(simulation: Simulation, { relayer, nonce, state, attemptId }: NonceRow): void {
  const about = attemptId === null ? [] : [attemptId]
  simulation.violate("nonce_gap", `nonce ${nonce} of ${relayer}, of ${attemptId ?? "nobody"}, is ${state}`, about)
}

/** Nothing is in progress any more, and every server is open. */
function isAllDone(simulation: Simulation): boolean {
  for (const attempt of simulation.books.attempts.values()) if (isOpen(attempt)) return false
  if (!openNonces(simulation).next().done || !simulation.servers.areOpen) return false
  return simulation.database.rows("SELECT id FROM log_pending").length === 0
}

function isOpen({ state, watched, finality }: AttemptRow): boolean {
  if (state === "SETTLED") return finality === "INCLUDED"
  return state === "RESERVED" || state === "VERIFIED" || state === "SETTLING" || watched === 1
}

/** Invariant 1 at the end of the world, and that each payment is delivered. */
function requirePaidForMoved(simulation: Simulation): void {
  const { books } = simulation
  for (const { signed, moved } of books.accounts.values()) {
    const attempt = books.attemptOf(signed.key)
    // The service is not involved in one that it never took.
    if (moved === null || attempt === null) continue
    const isOurs = attempt.settledTx === moved.tx && attempt.settledLogIndex === moved.logIndex
    if ((attempt.state === "SETTLED" && attempt.finality === "SAFE" && isOurs) || attempt.state === "PAID_OWED")
      continue
    const text = `${signed.key} paid in ${moved.tx}, and its attempt is ${attempt.state} (${attempt.finality}) by ${attempt.settledTx}`
    simulation.violate("payment_lost", text, [signed.key, signed.purchase.name])
  }
  for (const attempt of books.attempts.values()) {
    if (attempt.state !== "SETTLED") continue
    const account = books.accounts.get(`${attempt.payer}:${attempt.nonce}`.toLowerCase())
    const isPaid = account?.moved?.tx === attempt.settledTx
    if (isPaid === (attempt.finality === "SAFE")) continue
    const text = `${attempt.id} is SETTLED and ${attempt.finality}, and the chain ${isPaid ? "has" : "has not"} its transfer`
    simulation.violate("transfer_and_delivery_differ", text, [attempt.id])
  }
  simulation.requireSound()
}

/** Every header once more, and every signed request without one: each gets the same response as before. */
function presentAgain(simulation: Simulation): void {
  let open = 0
  const ask = (call: Promise<unknown>) => {
    open++
    void call.then(() => open--)
  }
  for (const { purchase, body, signed } of simulation.network.ended) {
    for (const one of signed) ask(simulation.network.post(purchase, purchase.path, body, one))
    if (purchase.product !== "decision" || body.request === null) continue
    ask(simulation.network.post(purchase, purchase.path, body, null))
    const text = recoveryBody(purchase, body.request, simulation.now(), `recovery-last-${purchase.index}`)
    ask(simulation.network.post(purchase, `${purchase.path}/recover`, { ...body, text }, null))
  }
  const isDone = simulation.runUntil(() => open === 0, simulation.scheduler.time + CALLS_MS)
  if (!isDone) simulation.violate("does_not_sell", `${open} calls got no answer`, [])
  simulation.requireSound()
}

function sellAgain(simulation: Simulation): void {
  for (const [at, process] of simulation.servers.all.entries()) {
    const purchase = lastPurchase(simulation.random.stream("purchases"), simulation.options.purchases + at)
    let told = "nothing"
    void buy(onlyAt(simulation, process), purchase).then((ended) => {
      told = ended.told
    })
    simulation.runUntil(() => told !== "nothing", simulation.scheduler.time + CALLS_MS)
    if (told !== "delivered")
      simulation.violate("does_not_sell", `${process.name}: ${purchase.name} heard ${told}`, [purchase.name])
    simulation.requireSound()
  }
}

/** The sale as seen by a buyer that knows one server only. */
function onlyAt(simulation: Simulation, process: ServerProcess): BuyerNetwork {
  return {
    pool: simulation.network.pool,
    patienceMs: PATIENCE_MS,
    // It retries until it gets an outcome: giving up says nothing about the server.
    leaveRate: 0,
    oddWindowRate: 0,
    now: () => simulation.now(),
    sleep: (ms) => simulation.network.sleep(ms),
    post: (purchase, path, body, signed) => simulation.network.postTo(process, { purchase, path, body, signed }),
    signed: (signed) => simulation.network.signed(signed, false),
    cancel: () => {},
    movePoorBalance: () => {},
    note: (text, purchase) => simulation.network.note(text, purchase),
  }
}
