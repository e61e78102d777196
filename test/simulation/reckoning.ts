/**
 * The checks after the faults: every attempt ends, every payment is delivered or listed as owed, the counts match the deliveries, every
 * header gets its answer again, and each server sells to the next buyer without a restart.
 */
import { buy, type Market, PATIENCE_MS } from "./buyer.ts"
import type { AttemptRow } from "./changes.ts"
import { requireCounts } from "./count-inspector.ts"
import { lastPurchase, recoveryBody } from "./purchase.ts"
import type { ServerProcess } from "./servers.ts"
import type { World } from "./world.ts"

/** Longest life of an authorization, blocks until one is safe, and time for the workers to look: virtual ms. */
const CALM_MS = 600_000
/**
 * For the longest freeze, a restart and a few rounds of the workers. A nonce open at the end of the faults waits for nothing else: a
 * payable transaction is sent again, and the other nonces are filled.
 */
const NONCE_MS = 240_000
const LOOK_EVERY_MS = 2_000
/** For the last calls, when everything is settled. */
const CALLS_MS = 120_000

export function reckon(world: World): void {
  awaitQuiet(world)
  requirePaidForMoved(world)
  presentAgain(world)
  sellAgain(world)
  awaitQuiet(world)
  requirePaidForMoved(world)
  requireCounts(world)
}

function awaitQuiet(world: World): void {
  const { scheduler } = world
  const begun = scheduler.time
  const open = new Set(openNonces(world))
  let nextLook = begun
  const isQuiet = world.runUntil(() => {
    if (scheduler.time < nextLook) return false
    nextLook = scheduler.time + LOOK_EVERY_MS
    if (isAllDone(world)) return true
    if (scheduler.time > begun + NONCE_MS)
      for (const nonce of openNonces(world)) if (open.has(nonce)) toldGap(world, nonce)
    return false
  }, begun + CALM_MS)
  if (isQuiet) return
  const { books } = world
  for (const attempt of books.attempts.values()) {
    const { id, state, watched, finality } = attempt
    if (isOpen(attempt))
      world.violate("attempt_never_ends", `${id} is ${state}, watched ${watched}, finality ${finality}`, [id])
  }
  for (const nonce of openNonces(world)) toldGap(world, nonce)
  world.requireSound()
}

function* openNonces({ books }: World): Generator<number> {
  for (const { nonce, state } of books.nonces.values()) if (state !== "MINED") yield nonce
}

function toldGap(world: World, nonce: number): void {
  const { state, attemptId } = world.books.nonces.get(nonce) ?? { state: "unknown", attemptId: null }
  const about = attemptId === null ? [] : [attemptId]
  world.violate("nonce_gap", `nonce ${nonce} of ${attemptId ?? "nobody"} is ${state}`, about)
}

/** Nothing is in progress any more, and every server is open. */
function isAllDone({ books, servers }: World): boolean {
  for (const attempt of books.attempts.values()) if (isOpen(attempt)) return false
  for (const { state } of books.nonces.values()) if (state !== "MINED") return false
  return servers.areOpen
}

function isOpen({ state, watched, finality }: AttemptRow): boolean {
  if (state === "SETTLED") return finality === "INCLUDED"
  return state === "RESERVED" || state === "VERIFIED" || state === "SETTLING" || watched === 1
}

/** Invariant 1 at the end of the world, and that each payment is delivered. */
function requirePaidForMoved(world: World): void {
  const { books } = world
  for (const { signed, moved } of books.accounts.values()) {
    const attempt = books.attemptOf(signed.key)
    // The service is not involved in one that it never took.
    if (moved === null || attempt === null) continue
    const isOurs = attempt.settledTx === moved.tx && attempt.settledLogIndex === moved.logIndex
    if ((attempt.state === "SETTLED" && attempt.finality === "SAFE" && isOurs) || attempt.state === "PAID_OWED")
      continue
    const text = `${signed.key} paid in ${moved.tx}, and its attempt is ${attempt.state} (${attempt.finality}) by ${attempt.settledTx}`
    world.violate("payment_lost", text, [signed.key, signed.purchase.name])
  }
  for (const attempt of books.attempts.values()) {
    if (attempt.state !== "SETTLED") continue
    const account = books.accounts.get(`${attempt.payer}:${attempt.nonce}`.toLowerCase())
    const isPaid = account?.moved?.tx === attempt.settledTx
    if (isPaid === (attempt.finality === "SAFE")) continue
    const text = `${attempt.id} is SETTLED and ${attempt.finality}, and the chain ${isPaid ? "has" : "has not"} its transfer`
    world.violate("transfer_and_delivery_differ", text, [attempt.id])
  }
  world.requireSound()
}

/** Every header once more, and every signed request without one: each gets the same response as before. */
function presentAgain(world: World): void {
  let open = 0
  const ask = (call: Promise<unknown>) => {
    open++
    void call.then(() => open--)
  }
  for (const { purchase, body, signed } of world.shop.ended) {
    for (const one of signed) ask(world.shop.post(purchase, purchase.path, body, one))
    if (purchase.product !== "decision" || body.request === null) continue
    ask(world.shop.post(purchase, purchase.path, body, null))
    const text = recoveryBody(purchase, body.request, world.now(), `recovery-last-${purchase.index}`)
    ask(world.shop.post(purchase, `${purchase.path}/recover`, { ...body, text }, null))
  }
  const isDone = world.runUntil(() => open === 0, world.scheduler.time + CALLS_MS)
  if (!isDone) world.violate("does_not_sell", `${open} calls got no answer`, [])
  world.requireSound()
}

function sellAgain(world: World): void {
  for (const [at, process] of world.servers.all.entries()) {
    const purchase = lastPurchase(world.random.stream("purchases"), world.options.purchases + at)
    let told = "nothing"
    void buy(onlyAt(world, process), purchase).then((ended) => {
      told = ended.told
    })
    world.runUntil(() => told !== "nothing", world.scheduler.time + CALLS_MS)
    if (told !== "delivered")
      world.violate("does_not_sell", `${process.name}: ${purchase.name} heard ${told}`, [purchase.name])
    world.requireSound()
  }
}

/** The sale as seen by a buyer that knows one server only. */
function onlyAt(world: World, process: ServerProcess): Market {
  return {
    pool: world.shop.pool,
    patienceMs: PATIENCE_MS,
    // It retries until it gets an outcome: giving up says nothing about the server.
    leaveRate: 0,
    now: () => world.now(),
    sleep: (ms) => world.shop.sleep(ms),
    post: (purchase, path, body, signed) => world.shop.postTo(process, { purchase, path, body, signed }),
    signed: (signed) => world.shop.signed(signed, false),
    cancel: () => {},
    movePoorBalance: () => {},
    note: (text, purchase) => world.shop.note(text, purchase),
  }
}
