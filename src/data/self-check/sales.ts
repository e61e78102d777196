import { formatInstant, instant, MINUTE, SECOND } from "../../core/time.ts"
import { owedAttempts } from "../../store/payments/attempt-watch.ts"
import { type FormerRelayer, formerRelayers } from "../../store/payments/current-relayer.ts"
import { lostTransfers } from "../../store/payments/lost-transfers.ts"
import type { OpenNonce } from "../../store/payments/relayer-ledger.ts"
import { lowestOpenNonce, oldestSettling, type Waiting } from "../../store/payments/settling-age.ts"
import type { Inspected } from "./inspected.ts"
import { about, type Line } from "./line.ts"

/** A settlement ends within a minute on a chain that works. */
const SLOW_MS = 5 * MINUTE

/** What the database says about payments: owed, stuck, and nonces that all later ones wait for. */
export async function salesLines({ store, machine }: Inspected): Promise<readonly Line[]> {
  const { owed, lost, settling, nonce, former } = await store.read(function* () {
    return {
      owed: yield* owedAttempts(),
      lost: yield* lostTransfers(),
      settling: yield* oldestSettling(),
      nonce: yield* lowestOpenNonce(),
      former: yield* formerRelayers(),
    }
  })
  const debts = about("payments", "owed", "a buyer paid and has no answer")
  const found = about(
    "payments",
    "lost",
    "buyers paid in the hours that a restore lost, and this database does not know for what",
  )
  const sales = lost.filter(({ nonce: used }) => used !== null)
  const refunds = owed.filter(({ isRefund }) => isRefund).length
  return [
    owed.length === 0
      ? debts.ok("every payment has its answer")
      : debts.problem(
          `${owed.length} payments without an answer, ${refunds} of them for requests that have one`,
          "bizauth payments owed: refund those, and look why the worker does not deliver the others",
        ),
    sales.length === 0
      ? found.ok("none")
      : found.note(`${sales.length} payments`, "bizauth payments owed; refund those whose buyers have no answer"),
    waiting("stuck", "a settlement that does not end keeps its buyer waiting", settling, machine.now()),
    waiting("nonce", "every later transaction of the relayer waits for this one", nonce, machine.now()),
    formerLine(former, machine.now()),
  ]

  function waiting(name: string, why: string, oldest: Waiting | null, now: number): Line {
    const line = about("payments", name, why)
    if (oldest === null || now - instant(oldest.since) < SLOW_MS) return line.ok("nothing waits")
    const what = `${oldest.id} waits since ${formatInstant(instant(oldest.since))}`
    return line.problem(
      what,
      "look at the relayer's transactions, its ether and both nodes; the running service resends by itself",
    )
  }
}

function formerLine(former: readonly FormerRelayer[], now: number): Line {
  const line = about("payments", "former relayer", "only a relayer's own key can fill a nonce that has no transaction")
  const words = former.map(({ address, open }) => {
    const empty = open.filter(({ state }) => state === "ALLOCATED").map(({ nonce }) => nonce)
    const gaps = empty.length === 0 ? "no gap" : `no transaction for nonce ${empty.join(", ")}`
    return `${address}: ${gaps}; ${open.filter((one) => mayPay(one, now)).length} payments wait`
  })
  if (words.length === 0) return line.ok("no earlier key left anything open")
  return former.some(({ open }) => open.some((one) => mayPay(one, now)))
    ? line.note(
        words.join("; "),
        "start bizauth serve once with the earlier relayer_key_file; without it these payments end unpaid within minutes",
      )
    : line.ok(words.join("; "))
}

/** By this machine's clock. */
function mayPay({ attemptState, validBefore }: OpenNonce, now: number): boolean {
  return attemptState === "SETTLING" && validBefore !== null && validBefore * SECOND > now
}
