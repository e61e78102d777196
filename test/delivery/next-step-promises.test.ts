/** What no decision of the paid path may do, in any state. The table of verdicts is in `next-step.test.ts`. */
import { describe, expect, test } from "bun:test"
import { nextStep } from "../../src/delivery/next-step.ts"
import {
  type Following,
  GIVEN_UP_THOUGH_USED,
  type NotTaken,
  type State,
  type Taking,
  type Verdict,
} from "../../src/delivery/state.ts"
import { eachState, FIRST_STATES, PAYER } from "./paid-states.ts"
import { isOpen, isOther, isOwnClaim, own } from "./verdict-table.ts"

const { ARRIVED, TAKING, FOLLOWING, UNPAID, NOT_TAKEN } = FIRST_STATES

/** `holds` is true in each state for which `when` is true, and there are such states. */
function expectAlways<S extends State>(
  firstStates: () => Generator<S>,
  when: (state: S, verdict: Verdict) => boolean,
  holds: (state: S, verdict: Verdict) => boolean,
): void {
  let count = 0
  const broken: object[] = []
  eachState(firstStates, (state, verdict) => {
    if (!when(state, verdict)) return
    count++
    if (!holds(state, verdict) && broken.length < 3) broken.push({ state, verdict })
  })
  expect(broken).toEqual([])
  expect(count).toBeGreaterThan(0)
}

const isOneOf = (verdict: Verdict, ...kinds: readonly Verdict["do"][]) => kinds.includes(verdict.do)
const isUncharged = (verdict: Verdict) => isOneOf(verdict, "QUOTE", "REFUSE", "FIND_EQUAL", "PROVE_UNPAID")
/** The payment of this very call bought the answer. */
const hasBought = (s: Taking) => s.reservation?.kind === "reserved" && s.outcome?.kind === "delivered"
const isUsed = (s: Taking) => s.verification?.kind === "VERIFIED" && s.verification.verified.alreadyUsed
const saysKeyIsUsed = (verdict: Verdict) => {
  const error =
    verdict.do === "REFUSE"
      ? verdict.error
      : verdict.do === "FIND_EQUAL" && verdict.of.why.kind === "REFUSED"
        ? verdict.of.why.error
        : null
  return error?.code === "IDEMPOTENCY_KEY_REUSED" || error?.code === "ALREADY_ACQUIRED"
}

describe("nobody is charged twice", () => {
  test("only a verified payment with a quote of this body is reserved, and only while nobody else has the request", () => {
    expectAlways<Taking>(
      TAKING,
      (_s, verdict) => isOneOf(verdict, "RESERVE", "SETTLE"),
      ({ examined, verification, presented, checked }) =>
        examined.fits === "THIS_BODY" &&
        verification?.kind === "VERIFIED" &&
        checked?.refusal === null &&
        checked.notReady === null &&
        (isOpen(presented?.current ?? null) || isOwnClaim(presented?.known ?? null, presented?.current ?? null)) &&
        (presented?.known === null || presented?.known.requestId === presented?.current?.id),
    )
  })

  test("only a reserved payment is settled, once", () => {
    expectAlways<Taking>(
      TAKING,
      (_s, verdict) => verdict.do === "SETTLE",
      ({ reservation, outcome }) => reservation?.kind === "reserved" && outcome === undefined,
    )
  })

  test("the owner of a request that is bought or being bought gets no quote, and no payment is looked for in its place", () => {
    const isBought = (s: { readonly key: Taking["key"] }) => s.key.kind === "SAME_BODY" && !isOpen(s.key.record)
    expectAlways(ARRIVED, isBought, (_s, verdict) => !isOneOf(verdict, "QUOTE", "REPLACE", "CHECK"))
    expectAlways<NotTaken>(
      NOT_TAKEN,
      (s) => s.product.owner === "SIGNER" && s.current !== undefined && !isOpen(own(s.current)),
      (_s, verdict) => !isOneOf(verdict, "QUOTE", "CHECK"),
    )
  })

  test("an equal call that has the payment is followed, whatever this call found", () => {
    expectAlways<NotTaken>(
      NOT_TAKEN,
      ({ equal }) => equal !== null && equal.state !== "RELEASED",
      (_s, verdict) => verdict.do === "FOLLOW",
    )
  })
})

describe("no call hears that nothing was charged while money may have moved", () => {
  test("about an attempt that has no outcome, is owed, or cannot be read", () => {
    const hasNoOutcome = ({ attempt }: Following) =>
      attempt === null || ["RESERVED", "VERIFIED", "SETTLING", "PAID_OWED"].includes(attempt.state)
    expectAlways<Following>(FOLLOWING, hasNoOutcome, (_s, verdict) => isOneOf(verdict, "WAIT", "PENDING"))
  })

  test("about a released attempt that the chain does not show as unpaid", () => {
    expectAlways<Following>(
      FOLLOWING,
      ({ attempt, refused, mayHavePaid }) =>
        attempt?.state === "RELEASED" &&
        (attempt.reason === GIVEN_UP_THOUGH_USED || (refused === undefined && mayHavePaid !== false)),
      (_s, verdict) => isOneOf(verdict, "MAY_HAVE_PAID", "PENDING"),
    )
  })

  test("about an attempt of an equal call that was given up though the chain shows the authorization as used", () => {
    expectAlways<NotTaken>(
      NOT_TAKEN,
      ({ equal }) => equal?.state === "RELEASED" && equal.watched === 1 && equal.reason === GIVEN_UP_THOUGH_USED,
      (_s, verdict) => verdict.do === "PENDING",
    )
  })

  test("about an attempt that an equal call released, before the chain shows its authorization as unused", () => {
    expectAlways<NotTaken>(
      NOT_TAKEN,
      ({ equal, isJudged, mayHavePaid }) =>
        equal?.state === "RELEASED" && equal.watched === 1 && !isJudged && mayHavePaid !== false,
      (_s, verdict) => isOneOf(verdict, "MAY_HAVE_PAID", "PENDING"),
    )
  })

  test("about the very header of a released attempt that the chain shows as used, after another payment bought the request", () => {
    expectAlways<Taking>(
      TAKING,
      (s) =>
        s.examined.fits === "THIS_BODY" &&
        isUsed(s) &&
        s.presented?.known?.state === "RELEASED" &&
        s.presented.known.watched === 1 &&
        s.presented.known.payloadSha256 === s.payment.sha256 &&
        s.presented.known.requestId === s.presented.current?.id &&
        !isOpen(s.presented.current) &&
        !isOwnClaim(s.presented.known, s.presented.current),
      (_s, verdict) => verdict.do === "PENDING",
    )
  })

  test("about an attempt that ended unpaid by this service's word alone", () => {
    expectAlways(
      UNPAID,
      ({ mayHavePaid }) => mayHavePaid,
      (_s, verdict) => verdict.do === "PENDING",
    )
  })

  test("about a settlement without an outcome", () => {
    expectAlways<Taking>(
      TAKING,
      ({ outcome }) => outcome?.kind === "pending",
      (_s, verdict) => verdict.do === "PENDING",
    )
  })

  test("about a payment of this request whose released attempt may have paid", () => {
    expectAlways<Taking>(
      TAKING,
      ({ mayHavePaid }) => mayHavePaid === true,
      (_s, verdict) => verdict.do === "PENDING",
    )
    expectAlways<Taking>(
      TAKING,
      ({ examined, released }) => examined.fits !== "THIS_BODY" && released?.watched === 1,
      (_s, verdict) => verdict.do === "PENDING",
    )
  })

  test("by a refusal that passes, about an authorization that the chain shows as used", () => {
    const mayPassLater = (s: Taking) =>
      s.checked?.refusal != null ||
      s.checked?.notReady != null ||
      (s.reservation?.kind === "refused" && s.reservation.error.refusal.retryable === true)
    expectAlways<Taking>(
      TAKING,
      (s) => isUsed(s) && mayPassLater(s),
      (_s, verdict) => !isUncharged(verdict),
    )
  })

  test("by any refusal of the unit that reserves, about an authorization that was released and that the chain shows as used", () => {
    expectAlways<Taking>(
      TAKING,
      (s) => isUsed(s) && s.reservation?.kind === "refused" && s.reservation.wasPresented,
      (_s, verdict) => verdict.do === "PENDING",
    )
  })
})

describe("a stranger learns nothing of a key", () => {
  test("whose owner a payment proves only after its signature verified, or as the very header that was verified before", () => {
    expectAlways(
      ARRIVED,
      ({ product, key }, verdict) => product.owner === "PAYER" && isOther(key) && saysKeyIsUsed(verdict),
      ({ payload }) => payload != null,
    )
    expectAlways<Taking>(
      TAKING,
      (_s, verdict) => verdict.do === "DELIVER" || saysKeyIsUsed(verdict),
      ({ verification }) => verification?.kind === "VERIFIED",
    )
    expectAlways<NotTaken>(
      NOT_TAKEN,
      ({ product }, verdict) => product.owner === "PAYER" && (verdict.do === "DELIVER" || saysKeyIsUsed(verdict)),
      ({ proved, onChain, why }) => why.kind === "REFUSED" || (proved != null && onChain === false),
    )
  })

  test("by an authorization that the chain or another request has seen", () => {
    expectAlways<Taking>(
      TAKING,
      (s) => !hasBought(s) && (isUsed(s) || (s.presented?.known != null && s.presented.known.state !== "RELEASED")),
      (_s, verdict) => verdict.do !== "DELIVER" && !saysKeyIsUsed(verdict),
    )
  })

  test("an answer goes to the payer who bought it", () => {
    const isOwnAnswer = (s: Taking | NotTaken) => s.answer?.payer === PAYER
    expectAlways<Taking>(
      TAKING,
      (_s, verdict) => verdict.do === "DELIVER",
      (s) => hasBought(s) || isOwnAnswer(s),
    )
    expectAlways<NotTaken>(NOT_TAKEN, (_s, verdict) => verdict.do === "DELIVER", isOwnAnswer)
  })
})

test("with payments off nothing is found out: every call is refused at once", () => {
  expectAlways(
    ARRIVED,
    ({ sells }) => !sells,
    (_s, verdict) => verdict.do === "REFUSE",
  )
})

test("a settled attempt without its finished answer is a bug and not a quote", () => {
  const settled = [...FOLLOWING()].find(({ attempt }) => attempt?.state === "SETTLED")
  expect(() => nextStep({ ...(settled as Following), answer: null })).toThrow(
    "a settled attempt has no finished answer",
  )
})

test("the same state gives the same verdict", () => {
  for (const firstStates of Object.values(FIRST_STATES))
    for (const state of firstStates())
      expect(nextStep(structuredClone(state))).toEqual(nextStep(structuredClone(state)))
})
