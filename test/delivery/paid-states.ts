/**
 * Every state that the paid path can have, from closed lists: each phase from all its first states, and from there each question that
 * `nextStep` puts with each answer that it can get. So a member that no decision needs is not known, as in the loop.
 */
import type { PaymentRequirements } from "../../schemas/x402.ts"
import { ServiceError } from "../../src/base/errors.ts"
import { nextStep } from "../../src/delivery/next-step.ts"
import {
  type Arrived,
  type Checked,
  type Following,
  type FoundAnswer,
  GIVEN_UP_THOUGH_USED,
  type KeyUse,
  type NotTaken,
  type Offered,
  type Outcome,
  type Question,
  type Replacement,
  type Reservation,
  type ReservedWork,
  type State,
  type Taking,
  type Unpaid,
  type Verdict,
  type Verification,
  type Verified,
} from "../../src/delivery/state.ts"
import type { Authorization } from "../../src/payments/authorization.ts"
import type { PresentedPayment } from "../../src/payments/payment-header.ts"
import { FOREIGN_QUOTE } from "../../src/payments/quote.ts"
import type { Attempt, AttemptState } from "../../src/store/payments/attempts.ts"
import { CLAIMING_PURCHASES } from "../../src/store/sales/purchases.ts"
import type { RequestRecord } from "../../src/store/sales/requests.ts"

export const THIS = "this request"
export const HEADER = "presented header"
export const PAYER = "0xPayer"
const FLAGS = [false, true] as const

export const PAYMENT = { sha256: HEADER } as PresentedPayment
/** The decisions read the payer alone. */
const AUTHORIZATION: Authorization = {
  ...{ from: PAYER, to: "0xPayTo", value: 1n, validAfter: 0, validBefore: 1, nonce: "0x", signature: "0x" },
}
const UNREAD = { authorization: AUTHORIZATION, terms: {} as PaymentRequirements }
export const OFFERED: Offered = { ...UNREAD, quoteId: "of this body" }
const OF_HELD: Offered = { ...UNREAD, quoteId: "of the held body" }

const ATTEMPT_STATES: Readonly<Record<AttemptState, true>> = {
  ...{ RESERVED: true, VERIFIED: true, SETTLING: true, SETTLED: true, FAILED: true, RELEASED: true, PAID_OWED: true },
}

/** In every state, watched or not. */
function attempts(members: Partial<Attempt>): Attempt[] {
  return (Object.keys(ATTEMPT_STATES) as AttemptState[]).flatMap((state) =>
    [0, 1].map(
      (watched) => ({ id: `attempt ${state}`, payer: PAYER, reason: null, ...members, state, watched }) as Attempt,
    ),
  )
}

const OWN = attempts({ requestId: THIS, payloadSha256: HEADER })
const OF_ANY_REQUEST = [THIS, "another request"].flatMap((requestId) =>
  [HEADER, "another header"].flatMap((payloadSha256) => attempts({ requestId, payloadSha256 })),
)

const CLAIMS = [
  null,
  ...(["x402", "acp"] as const).flatMap((rail) => CLAIMING_PURCHASES.map((state) => ({ id: "purchase", rail, state }))),
  // Of a released attempt whose authorization is used.
  { id: "attempt RELEASED", rail: "x402", state: "OWED" } as const,
]
const RECORDS = (["NEW", "COMPUTED", "DELIVERED"] as const).flatMap((state) =>
  CLAIMS.map((purchase) => ({ id: THIS, state, purchase }) as RequestRecord),
)
const KEYS: readonly KeyUse[] = [
  { kind: "FREE" },
  ...RECORDS.flatMap((record): KeyUse[] => [
    { kind: "SAME_BODY", record },
    { kind: "OTHER_BODY", record },
  ]),
]

export const ERRORS = {
  header: new ServiceError("PAYMENT_HEADER_MALFORMED", "header"),
  check: new ServiceError("SOURCE_STALE", "check"),
  notReady: new ServiceError("DISK_LOW", "not ready"),
  late: new ServiceError("DECISION_IN_PROGRESS", "late"),
  temporary: new ServiceError("STORE_UNAVAILABLE", "temporary"),
  final: new ServiceError("DELEGATION_EXCEEDED", "final"),
  work: new ServiceError("GAS_TOO_EXPENSIVE", "work"),
  refused: new ServiceError("CHAIN_UNAVAILABLE", "judged before"),
} as const

const CHECKED: readonly Checked[] = [
  { refusal: null, notReady: null },
  { refusal: ERRORS.check, notReady: null },
  { refusal: null, notReady: ERRORS.notReady },
]
const answer = (payer: string | null): FoundAnswer => ({ body: "{}", capsuleJson: "{}", paymentResponse: null, payer })
const NOT_REPLACED: readonly Replacement[] = [{ kind: "REFUSED", error: ERRORS.late }, { kind: "USED_UP" }]
const VERIFICATIONS: readonly Verification[] = [
  ...FLAGS.map((alreadyUsed) => ({ kind: "VERIFIED", verified: { alreadyUsed } as Verified }) as const),
  ...FLAGS.map((isOutsideWindow) => ({ kind: "REJECTED", reason: "on chain", isOutsideWindow }) as const),
  { kind: "UNAVAILABLE" },
]
const RESERVATIONS: readonly Reservation[] = [
  { kind: "reserved", work: { attempt: { id: "reserved attempt", payer: PAYER } } as ReservedWork },
  { kind: "taken", rail: "acp", attemptId: null },
  { kind: "taken", rail: "x402", attemptId: null },
  { kind: "taken", rail: "x402", attemptId: "attempt of the same payload" },
  ...[ERRORS.temporary, ERRORS.final].flatMap((error) =>
    FLAGS.map((wasPresented) => ({ kind: "refused", error, wasPresented }) as const),
  ),
  { kind: "overdrawn", reason: "overdrawn" },
]
/** Can be the one of a used payment: its attempt is stored if it is refused for the moment, and its balance is not compared. */
const isOfUsed = (one: Reservation): boolean =>
  one.kind === "refused" ? one.wasPresented || one.error !== ERRORS.temporary : one.kind !== "overdrawn"
const OUTCOMES: readonly Outcome[] = [
  { kind: "delivered", answer: answer(null) },
  { kind: "pending", transaction: "0xsent" },
  { kind: "failed", reason: "expired_unused" },
  { kind: "released", error: ERRORS.work },
  { kind: "refused", reason: "too old" },
  { kind: "elsewhere" },
]

const PRODUCTS = (["SIGNER", "PAYER"] as const).map((owner) => ({ owner, recoverPath: null }))

function* arrivals(): Generator<Arrived> {
  const headers: readonly Arrived["header"][] = [
    ...FLAGS.map((isVersion1) => ({ kind: "NONE", isVersion1 }) as const),
    { kind: "REFUSED", error: ERRORS.header },
    { kind: "READABLE", payment: PAYMENT },
  ]
  for (const product of PRODUCTS)
    for (const header of headers)
      for (const key of KEYS)
        for (const soldTo of [null, THIS, "another request"])
          for (const late of [null, "late request"])
            for (const sells of FLAGS) yield { phase: "ARRIVED", product, header, key, soldTo, late, sells }
}

function* takings(): Generator<Taking> {
  const [product] = PRODUCTS
  const examinations: readonly Taking["examined"][] = [
    { fits: "THIS_BODY", offered: OFFERED },
    { fits: "HELD_BODY", offered: OF_HELD, reason: "quote_expired" },
    { fits: "NONE", reason: FOREIGN_QUOTE },
  ]
  for (const examined of examinations)
    for (const released of [null, ...OWN.filter(({ state }) => state === "RELEASED")])
      for (const key of examined.fits === "HELD_BODY" ? KEYS : KEYS.slice(0, 1))
        yield { phase: "TAKING", product: product!, payment: PAYMENT, released, key, examined }
}

function* followings(): Generator<Following> {
  const seen = [null, GIVEN_UP_THOUGH_USED, "a reason"].flatMap((reason) =>
    [null, "0xowed"].flatMap((settledTx) => attempts({ requestId: THIS, reason, settledTx })),
  )
  for (const attempt of [null, ...seen])
    for (const isTimeUp of FLAGS)
      for (const refused of [null, ERRORS.refused])
        yield { phase: "FOLLOWING", attempt, until: 0, isTimeUp, ...(refused && { refused }) }
}

function* unpaids(): Generator<Unpaid> {
  const failed = { success: false, errorReason: "a reason", transaction: "", network: "eip155:8453", payer: PAYER }
  for (const mayHavePaid of FLAGS)
    for (const isFollowed of FLAGS)
      yield { phase: "UNPAID", payer: PAYER, reason: "a reason", failed, mayHavePaid, isFollowed }
}

function* rejections(): Generator<NotTaken> {
  for (const product of PRODUCTS)
    for (const equal of [null, ...OWN, ...OWN.map((attempt) => ({ ...attempt, reason: GIVEN_UP_THOUGH_USED }))])
      for (const why of [
        { kind: "REFUSED", error: ERRORS.final },
        { kind: "REJECTED", reason: FOREIGN_QUOTE },
        { kind: "REJECTED", reason: "quote_expired" },
      ] as const)
        for (const isJudged of FLAGS) yield { phase: "NOT_TAKEN", product, payment: PAYMENT, why, equal, isJudged }
}

export const FIRST_STATES = {
  ARRIVED: arrivals,
  TAKING: takings,
  FOLLOWING: followings,
  UNPAID: unpaids,
  NOT_TAKEN: rejections,
}

const values = <K extends string, V>(name: K, all: readonly V[]) => all.map((value) => ({ [name]: value }))

/** What a question can find out, as members of the state. Empty if it begins a phase: that has its own first states. */
function found(question: Question): readonly object[] {
  switch (question.do) {
    case "CHECK":
      return values("checked", CHECKED)
    case "REPLACE":
      return [
        { replacement: { kind: "DELIVERED", answer: answer(null) } satisfies Replacement },
        // The key is read again if this call replaced nothing.
        ...NOT_REPLACED.flatMap((replacement) => KEYS.map((key) => ({ replacement, key }))),
      ]
    case "FIND_PAYLOAD":
      return values("payload", question.requestId === null ? [null] : [null, ...OWN])
    case "FIND_PRESENTED":
      return [null, ...OF_ANY_REQUEST].flatMap((known) =>
        [null, ...RECORDS].map((current) => ({ presented: { known, current } })),
      )
    case "VERIFY":
      return values("verification", VERIFICATIONS)
    case "MAY_HAVE_PAID":
      return values("mayHavePaid", FLAGS)
    case "RESERVE":
      return values("reservation", question.presented.alreadyUsed ? RESERVATIONS.filter(isOfUsed) : RESERVATIONS)
    case "KEEP_USED":
      return values("isKept", [true])
    case "SETTLE":
      return values("outcome", OUTCOMES)
    case "PROVE_PAYER":
      return values("proved", [null, OFFERED.authorization])
    case "FIND_USED_KEY":
      return values("used", KEYS)
    case "FIND_ON_CHAIN":
      return values("onChain", [...FLAGS, "UNAVAILABLE"])
    case "FIND_CURRENT":
      return values("current", KEYS)
    case "FIND_ANSWER":
      return values(
        "answer",
        question.withPayer ? [null, answer(null), answer("0xOther"), answer(PAYER)] : [answer(null)],
      )
    case "FIND_EXECUTION":
      return values("execution", [null, "exe_answer"])
    default:
      return []
  }
}

const isQuestion = (verdict: Verdict): verdict is Question =>
  !["QUOTE", "REFUSE", "PENDING", "DELIVER"].includes(verdict.do)

/** Calls `see` with each state of one phase and its verdict. */
export function eachState<S extends State>(
  firstStates: () => Generator<S>,
  see: (state: S, verdict: Verdict) => void,
): number {
  let count = 0
  const visit = (state: S): void => {
    count++
    const verdict = nextStep(state)
    see(state, verdict)
    if (isQuestion(verdict)) for (const members of found(verdict)) visit({ ...state, ...members })
  }
  for (const state of firstStates()) visit(state)
  return count
}
