/**
 * Faults that a change might bring into the paid path. Each is a text that occurs exactly once in its file, and its replacement. The
 * simulator must find every one. `why` names the effect.
 */
import { JOB_MUTANTS } from "./jobs/job-mutants.ts"
import { type Mutant, mutant } from "./mutant.ts"

const SETTLE = "src/payments/settle.ts"
const OBSERVE = "src/payments/observe.ts"
const PURSUE = "src/payments/pursue.ts"
const MAINTAIN = "src/payments/maintain-relayer.ts"
const WAITING = "src/payments/waiting-nonce.ts"
const QUOTE = "src/payments/quote.ts"
const VERIFY = "src/payments/verify-payment.ts"
const EVENT = "src/payments/authorization-event.ts"
const QUESTIONS = "src/delivery/questions.ts"
const NEXT = "src/delivery/next-step.ts"
const RECONCILE = "src/delivery/reconcile.ts"
const CONCLUDE = "src/delivery/conclude.ts"
const WORK = "src/delivery/work.ts"
const STORE = "src/store/engine/sqlite/sqlite-store.ts"
const LEASES = "src/store/payments/attempt-leases.ts"
const TOTALS = "src/store/payments/attempt-totals.ts"
const USE = "src/store/buyers/delegation-use.ts"
const WATCH = "src/store/payments/attempt-watch.ts"
const LEDGER = "src/store/payments/relayer-ledger.ts"
const STRAY = "src/store/stray-leases.ts"
const JSON_RPC = "src/payments/json-rpc.ts"
const FORMER = "src/payments/former-relayers.ts"
const CHANGE = "src/products/common/reserve-change.ts"

const PAID_PATH: readonly Mutant[] = [
  mutant("broadcast_before_commit", SETTLE, "bytes are on their way before they are stored", [
    "  const at = formatInstant(machine.now())\n  const stored = await",
    "  const at = formatInstant(machine.now())\n  await broadcast(payments.chain.primary, signed.raw)\n  const stored = await",
  ]),
  mutant("failed_without_log", OBSERVE, "a node's word alone that an authorization is used ends its attempt", [
    "if (!event) return withoutLog(node, asset, watched, { head, safe, expired, start })",
    'if (!event) return { kind: "failed", why: "used_for_another_transfer", expired: true }',
  ]),
  mutant("safe_when_included", PURSUE, "a transfer in a block that can be replaced counts as safe", [
    'finality: settled.finality === "included" ? "INCLUDED" : "SAFE",',
    'finality: "SAFE",',
  ]),
  mutant("cancelled_before_safe", OBSERVE, "a cancellation that can be replaced ends an attempt", [
    'if (!isSafe) return pending("USED", head.number)',
    "",
  ]),
  mutant("watch_ended_too_early", RECONCILE, "an authorization that was given up is forgotten while it is valid", [
    'if (seen.kind === "failed" && seen.expired) return',
    'if (seen.kind !== "settled") return',
  ]),
  mutant("released_unwatched", WORK, "an attempt that was not sent is not watched", [
    'to: "RELEASED", reason: sent.code, watched: true',
    'to: "RELEASED", reason: sent.code, watched: false',
  ]),
  mutant("abandoned_unwatched", RECONCILE, "an attempt whose process died is not watched", [
    'reason: "worker_gone", watched: true',
    'reason: "worker_gone", watched: false',
  ]),
  mutant("owed_when_included", RECONCILE, "a stranger's transfer in a block that can be replaced is delivered", [
    'if (seen.kind !== "settled" || seen.finality === "included") return',
    'if (seen.kind !== "settled") return',
  ]),
  mutant("settling_given_up", RECONCILE, "an attempt that may be paid is given up when its process dies", [
    '    case "VERIFIED": {',
    '    case "VERIFIED":\n    case "SETTLING": {',
  ]),
  mutant(
    "nonce_reused",
    LEDGER,
    "two attempts get one nonce of the relayer",
    ["const nonce = Math.max(taken, (yield* nextLedgerNonce(relayer)) ?? 0)", "const nonce = taken"],
    ['        eq(t.relayerNonce.attemptId, bind("attemptId")),\n        inArray', "        inArray"],
  ),
  mutant("gap_not_filled", MAINTAIN, "a nonce that a foreign transaction skipped is never filled", [
    "if (lowest) await takeInGap(deps, address, count, lowest.nonce)",
    "",
  ]),
  mutant("allocated_not_filled", MAINTAIN, "the nonce of a killed process is never filled", [
    "else if (!mayStillSign(nonce) && (await fillNonce(deps, relayer, nonce.nonce, head))) filled++",
    "",
  ]),
  mutant("waiting_not_sent_again", MAINTAIN, "a transaction that the pool lost is never sent again", [
    'if (nonce.state === "STORED") await sendWaiting(deps, relayer, nonce, head)',
    'if (nonce.state === "STORED") continue',
  ]),
  mutant("reorganized_not_reopened", MAINTAIN, "a nonce whose block was replaced stays mined", [
    "await reopenUnmined(deps, address, count)\n",
    "\n",
  ]),
  mutant("ended_attempt_sent", WAITING, "the payment of an attempt that ended is sent again", [
    "if (!isFill && !mayStillPay(waiting, head)) return replace(",
    "if (newest.raw === null) return replace(",
  ]),
  mutant("quote_not_bound", QUOTE, "a quote of one body pays for another", [
    "const terms = quoteTerms(key, offer, { bodyDigest, quoteSalt, quoteExpiresAt })",
    'const terms = quoteTerms(key, offer, { bodyDigest: String(accepted.extra?.["bodyDigest"]), quoteSalt, quoteExpiresAt })',
  ]),
  mutant("used_is_refused", QUESTIONS, "an authorization that is used on the chain gets a 402", [
    "if (usedBlock !== undefined) return asUsed(",
    "if (reason === null && usedBlock) return asUsed(",
  ]),
  mutant("unknown_is_402", NEXT, "an outcome that is not known gets a 402", [
    'case "pending":\n      return pending(attempt.payer, outcome.transaction)',
    'case "pending":\n      return { do: "QUOTE", error: "settlement_pending" }',
  ]),
  mutant("hold_not_released", CONCLUDE, "what an unpaid request held stays held", [
    "    yield* dropHolds(requestId)\n",
    "",
  ]),
  mutant("hold_not_spent", CONCLUDE, "a mandate is not used up by the decision it authorized", [
    "  yield* spendHolds(request.id)\n",
    "",
  ]),
  mutant("computed_core_survives", CONCLUDE, "a decision outlives the attempt that it was computed for", [
    "    yield* dropComputed(requestId)\n",
    "",
  ]),
  mutant("challenge_not_held", CHANGE, "a challenge is not used up by the answer that relied on it", [
    "if (!conflict) yield* takeHolds(holder, storedRequestId, [hold])",
    "",
  ]),
  mutant("key_not_unique", "db/migrations/0005_delivery.sql", "equal calls make two requests of one idempotency key", [
    "  UNIQUE (product, scope, idempotency_key),\n  UNIQUE (product, scope, request_digest)\n",
    "  CHECK (true)\n",
  ]),
  mutant("event_not_noted", TOTALS, "a move leaves no event", ["  yield* noteEvent(attempt.id, move)\n", ""]),
  mutant("use_not_counted", USE, "a delegation's limit counts nothing", ["of delegationsOf(counted)) {", "of []) {"]),
  mutant("purchase_left_live", TOTALS, "a purchase stays live after its attempt ended", [
    "if (from === null || PURCHASE[from] === PURCHASE[to]) return",
    'if (from === null || PURCHASE[to] !== "ACQUIRED") return',
  ]),
  mutant("unsettled_never_falls", TOTALS, "what a payer's ended attempts would have taken is counted for ever", [
    "isUnsettled(to) ? value : -value",
    "isUnsettled(to) ? value : 0n",
  ]),
  mutant(
    "lease_of_a_wrong_clock",
    LEASES,
    "a lease that a wrong clock wrote is respected for as long as the clock was wrong",
    [", ...(yield* rows(ahead, { horizon }))]", "]"],
  ),
  mutant("look_of_a_wrong_clock", WATCH, "a look that a wrong clock put off is waited for", [
    "? [...isDue, ...(yield* rows(beyond, { latest }))] : isDue",
    "? isDue : isDue",
  ]),
  mutant("told_before_commit", STORE, "callers hear of success and the COMMIT fails", [
    '      this.database.run("COMMIT")',
    '      this.durability.whenDurable(done)\n      this.database.run("COMMIT")',
  ]),
  mutant("batch_forgotten", STORE, "units that shared a transaction with a failed one are never answered", [
    "this.queue = [...others, ...this.queue]",
    "this.queue = [...this.queue]",
  ]),
  mutant("answer_before_settled", NEXT, "an answer is given before its payment is proved", [
    '    case "SETTLED":\n',
    '    case "SETTLING":\n    case "SETTLED":\n',
  ]),
  mutant("never_safe", RECONCILE, "a delivery is never safe", [
    'if (transfer.finality === "SAFE") yield*',
    "if (transfer.finality === undefined) yield*",
  ]),
  mutant("loss_not_noted", RECONCILE, "a delivery whose transfer a reorganization took is looked at for ever", [
    '  } else if (seen.kind === "failed") {\n    const lost = await store.run(() => concludeSettlement(',
    "  } else if (seen.kind === undefined) {\n    const lost = await store.run(() => concludeSettlement(",
  ]),
  mutant("abandoned_not_taken", LEASES, "nobody takes over what a killed process left", [
    ".slice(0, TAKEN_AT_ONCE)",
    ".slice(0, 0)",
  ]),
  mutant("stray_lease_kept", STRAY, "a process keeps the leases of attempts that a fault took from it", [
    "    for (const id of dropped) yield* drop(id)\n",
    "",
  ]),
  mutant("begins_by_our_clock", SETTLE, "an authorization is sent when the machine's clock is past its beginning", [
    "if (!hasBegun(attempt, head.timestamp)) return",
    "if (!hasBegun(attempt, Math.floor(machine.now() / 1000))) return",
  ]),
  mutant("window_by_our_clock", VERIFY, "an authorization is refused when the machine's clock is outside its window", [
    "const outside = checkWindow(authorization, terms, head.timestamp)",
    "const outside = checkWindow(authorization, terms, Math.floor(Date.now() / 1000))",
  ]),
  mutant(
    "early_not_sent_again",
    SETTLE,
    "an authorization that was mined before its window is never sent again",
    ["  if (sendable) return false\n", ""],
    ["(mined !== null && hasBegun(attempt, mined.blockSeconds))", "mined !== null"],
  ),
  mutant("waiting_never_sent", SETTLE, "an authorization that had not begun when it was taken is never sent", [
    'if (allocated.some(({ state }) => state === "ALLOCATED")) return true',
    "if (allocated.length === 0) return true",
  ]),
  mutant("outcome_late", OBSERVE, "an authorization that ended is waited for a minute more", [
    "safe.timestamp >= validBefore",
    "safe.timestamp >= validBefore + 60",
  ]),
  mutant("search_too_short", EVENT, "the transfer of a client whose clock is ahead is not looked for where it is", [
    "searched.validBefore - searched.maxTimeoutSeconds - CLIENT_SKEW_SECONDS",
    "searched.validBefore - searched.maxTimeoutSeconds + 600",
  ]),
  mutant("expired_never_fails", OBSERVE, "an authorization that ended unused has no outcome", [
    "if (!isUsed && !expired) {",
    "if (!isUsed) {",
  ]),
  mutant("former_not_sent", FORMER, "a transaction that the relayer's former key signed is never sent again", [
    "if (newest) await broadcast(",
    "if (!newest) await broadcast(",
  ]),
  mutant(
    "kept_over_turns",
    JSON_RPC,
    "a question gets the answer of an equal one of the turn before",
    ["    turn = new Map()\n", "    kept = turn\n    turn = new Map()\n"],
    ["const equal = turn.get(members)\n", "const equal = turn.get(members) ?? kept.get(members)\n"],
    ["let lastId = 0\n", "let lastId = 0\n  let kept: typeof turn = new Map()\n"],
  ),
  mutant("answers_by_position", JSON_RPC, "the answers of a batch are given out in the order in which they came", [
    "const answer = found.get(id)",
    "const answer = answers[[...byId.keys()].indexOf(id)] as object | null",
  ]),
  mutant("former_not_booked", FORMER, "a nonce of the relayer's former key that the chain has used stays open", [
    "await concludeMined(deps, nonce, ",
    "await (async (..._: unknown[]) => {})(deps, nonce, ",
  ]),
]

export const MUTANTS: readonly Mutant[] = [...PAID_PATH, ...JOB_MUTANTS]
