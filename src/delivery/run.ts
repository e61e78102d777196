/**
 * The one path of every paid request: find, quote, claim, decide, seal, settle, reveal. A loop asks `nextStep`, does what it says and asks
 * again, until the verdict ends the call. Two unique indexes hold what the decisions rely on: a request has one live attempt, and an
 * authorization belongs to one request.
 */
import { rejectionOf } from "../base/sensitive-refusals.ts"
import type { SensitiveFault } from "../core/sensitive/find-in-text.ts"
import { searchOpen } from "../core/sensitive/open-value.ts"
import { WHOLE } from "../core/sensitive/place.ts"
import type { Reply } from "../http/call.ts"
import { headTime, isAboutClock, withClocks } from "../payments/clocks.ts"
import { hasOnlyVersion1Header, readPaymentHeader } from "../payments/payment-header.ts"
import { CommitOutcomeUnknown, StoreUnavailable } from "../store/engine/store-error.ts"
import type { DeliveryDeps } from "./deps.ts"
import { nextStep } from "./next-step.ts"
import {
  examine,
  findAnswer,
  findCurrent,
  findEqual,
  findExecution,
  findOnChain,
  findPayload,
  findPresented,
  findUsedKey,
  keyUse,
  mayHavePaid,
  type PaidCall,
  provePayer,
  type Run,
  readAttempt,
  runChecks,
  verify,
} from "./questions.ts"
import { redeliver } from "./redeliver.ts"
import { refusalOf, replyOf } from "./replies.ts"
import { keepUsed, reserve } from "./reserve.ts"
import type { Sale } from "./sale.ts"
import { headerMalformed } from "./sale-refusals.ts"
import type {
  Arrived,
  End,
  Following,
  NotTaken,
  Outcome,
  Question,
  ReadHeader,
  State,
  Taking,
  Unpaid,
  Verdict,
} from "./state.ts"
import { carryOut } from "./work.ts"

/** How often a request polls the database for another worker's outcome, in milliseconds. */
const POLL_MS = 50

export async function deliver(deps: DeliveryDeps, sale: Sale, call: PaidCall): Promise<Reply> {
  const { payments } = deps
  const run: Run | null = payments === null ? null : { deps: { ...deps, payments }, sale, call }
  let state: State = arrived(sale, call, payments !== null)
  for (;;) {
    const verdict = nextStep(state)
    if (verdict.do === "REFUSE") throw refusalOf(verdict)
    if (run === null) throw new Error(`payments are off, and the next step is ${verdict.do}`)
    if (isEnd(verdict)) return replyOf(run, await withTimes(run, verdict))
    state = await answered(run, state, verdict)
  }
}

function arrived(sale: Sale, { headers }: PaidCall, sells: boolean): Arrived {
  const { product, records } = sale
  const { requestRecord, soldTo, late } = records
  const header = readHeader(headers)
  return { phase: "ARRIVED", product, header, key: keyUse(requestRecord, sale), soldTo, late, sells }
}

function readHeader(headers: Headers): ReadHeader {
  const payment = readPaymentHeader(headers)
  if (payment === null) return { kind: "NONE", isVersion1: hasOnlyVersion1Header(headers) }
  if (typeof payment === "string") return { kind: "REFUSED", error: headerMalformed(payment) }
  // An attempt keeps the whole payment, and clients and extensions choose what its open members hold.
  const faults: SensitiveFault[] = []
  searchOpen(payment.payload, faults, { ...WHOLE, pointer: "header:Payment-Signature" })
  const error = rejectionOf(faults, 400)
  return error ? { kind: "REFUSED", error } : { kind: "READABLE", payment }
}

const ENDS: ReadonlySet<Verdict["do"]> = new Set<End["do"]>(["QUOTE", "REFUSE", "PENDING", "DELIVER"])

function isEnd(verdict: Verdict): verdict is End {
  return ENDS.has(verdict.do)
}

/**
 * A quote for a payment whose window is wrong states the times of block and service, because the payer's clock may be wrong. A node is asked
 * only if no block judged the payment.
 */
async function withTimes({ deps }: Run, end: Exclude<End, { do: "REFUSE" }>): Promise<Exclude<End, { do: "REFUSE" }>> {
  if (end.do !== "QUOTE" || end.error === undefined || !isAboutClock(end.error)) return end
  const head = end.headSeconds ?? (await headTime(deps.payments.chain.primary))
  return { ...end, error: withClocks(end.error, deps.machine.now(), head) }
}

/** The next state. While an attempt is followed, a database that cannot be read makes its outcome unknown. */
async function answered(run: Run, state: State, question: Question): Promise<State> {
  try {
    return await answer(run, state, question)
  } catch (error) {
    const isFollowed = question.do === "FOLLOW" || state.phase === "FOLLOWING"
    const isUnknown = isFollowed || (state.phase === "UNPAID" && state.isFollowed)
    const isLost = error instanceof CommitOutcomeUnknown
    // A settlement is stored before it is sent: if nobody knows whether it is stored, another process may send it.
    const mayBeSent = isLost && question.do === "SETTLE"
    if (!(isLost || error instanceof StoreUnavailable) || !(isUnknown || mayBeSent)) throw error
    return { phase: "FOLLOWING", attempt: null, until: 0, isTimeUp: true }
  }
}

async function answer(run: Run, state: State, question: Question): Promise<State> {
  const { deps, sale, call } = run
  switch (question.do) {
    case "CHECK": {
      const at = question.time === "NOW" ? deps.machine.now() : call.at
      return known(state, { checked: await runChecks(run, question.step, at) })
    }
    case "REPLACE":
      return known(state, await replace(run, question))
    case "FIND_PAYLOAD":
      return known(state, { payload: await findPayload(run, question.requestId, question.payment) })
    case "EXAMINE":
      return { phase: "TAKING", ...question.of, examined: await examine(run, question.of) }
    case "FIND_PRESENTED":
      return known(state, { presented: await findPresented(run, question.offered) })
    case "VERIFY":
      return known(state, { verification: await verify(run, question.offered) })
    case "MAY_HAVE_PAID":
      return known(state, { mayHavePaid: await mayHavePaid(run, question.attempt, question.reason) })
    case "RESERVE":
      return known(state, await reserve(deps, sale, question.presented))
    case "KEEP_USED":
      await keepUsed(deps, question.requestId, question.presented)
      return known(state, { isKept: true })
    case "SETTLE":
      return known(state, { outcome: await settle(run, question) })
    case "FOLLOW":
      return follow(run, state, question)
    case "WAIT":
      await deps.machine.sleep(POLL_MS)
      return follow(run, state, question)
    case "PROVE_UNPAID":
      return unpaid(run, question)
    case "FIND_EQUAL":
      return { phase: "NOT_TAKEN", ...question.of, equal: await findEqual(run, question.of.payment) }
    case "PROVE_PAYER":
      return known(state, { proved: await provePayer(run, question.payment) })
    case "FIND_USED_KEY":
      return known(state, { used: await findUsedKey(run, question.authorization) })
    case "FIND_ON_CHAIN":
      return known(state, { onChain: await findOnChain(run, question.authorization) })
    case "FIND_CURRENT":
      return known(state, { current: await findCurrent(run) })
    case "FIND_ANSWER":
      return known(state, { answer: await findAnswer(run, question.requestId, question.withPayer) })
    case "FIND_EXECUTION":
      return known(state, { execution: await findExecution(run, question.requestId) })
  }
}

/** What one question finds out. */
type Found = Partial<Pick<Arrived, "payload" | "checked" | "replacement" | "key">> &
  Partial<
    Pick<
      Taking,
      "presented" | "verification" | "mayHavePaid" | "execution" | "answer" | "isKept" | "reservation" | "outcome"
    >
  > &
  Partial<Pick<NotTaken, "proved" | "used" | "onChain" | "current">>

function known(state: State, found: Found): State {
  return { ...state, ...found }
}

/** If this call replaced nothing, another call may have bought or replaced under the key since, so what the key is used for is read again. */
async function replace(run: Run, { late }: Ask<"REPLACE">): Promise<Found> {
  const replacement = await redeliver(run.deps, run.sale, late)
  return replacement.kind === "DELIVERED" ? { replacement } : { replacement, key: await findCurrent(run) }
}

type Ask<Do extends Question["do"]> = Extract<Question, { readonly do: Do }>

/** Reads an attempt that a worker holds, in this or another process. The first reading begins the time that the call waits. */
async function follow(run: Run, state: State, question: Ask<"FOLLOW" | "WAIT">): Promise<Following> {
  const { machine, payments } = run.deps
  const until = state.phase === "FOLLOWING" ? state.until : machine.monotonic() + payments.settleWaitMs
  const attempt = await readAttempt(run, question.attemptId)
  const refused = question.do === "FOLLOW" ? question.refused : undefined
  return {
    phase: "FOLLOWING",
    attempt,
    until,
    isTimeUp: machine.monotonic() >= until,
    ...(refused && { refused }),
  }
}

async function unpaid(run: Run, { attempt, reason, isFollowed }: Ask<"PROVE_UNPAID">): Promise<Unpaid> {
  const { network } = run.deps.payments.chain.asset
  const { payer } = attempt
  return {
    phase: "UNPAID",
    payer,
    reason,
    failed: { success: false, errorReason: reason, transaction: "", network, payer },
    mayHavePaid: await mayHavePaid(run, attempt, reason),
    isFollowed,
  }
}

/** Carries a reserved attempt out. */
async function settle({ deps, sale }: Run, { work, presented }: Ask<"SETTLE">): Promise<Outcome> {
  await deps.trace?.("reserved")
  const { authorization, alreadyUsed } = presented
  return carryOut(deps, { ...work, product: sale.product, authorization, alreadyUsed })
}
