/**
 * The decisions of the paid path as a table, without a chain and a database: in every state exactly one row applies, in any order of the
 * rows, and it names the verdict.
 */
import { describe, test } from "bun:test"
import {
  type Arrived,
  type Following,
  GIVEN_UP_THOUGH_USED,
  type KeyUse,
  type NotTaken,
  type Taking,
  type Unpaid,
} from "../../src/delivery/state.ts"
import { FOREIGN_QUOTE } from "../../src/payments/quote.ts"
import { ERRORS, FIRST_STATES, HEADER, OFFERED, PAYER, THIS } from "./paid-states.ts"
import {
  expectTable,
  isDelivered,
  isJob,
  isOpen,
  isOther,
  isOwnClaim,
  isRunning,
  own,
  passed,
} from "./verdict-table.ts"

describe("every state", () => {
  test("of a call that arrived", () => {
    const isReused = (s: Arrived) => s.header.kind !== "REFUSED" && isOther(s.key) && s.product.owner === "SIGNER"
    const isElsewhere = (s: Arrived) => s.soldTo !== null && (s.soldTo !== THIS || own(s.key) === null)
    const isTaken = (s: Arrived) => s.header.kind !== "REFUSED" && !isReused(s) && !isElsewhere(s) && s.sells
    const isPaid = (s: Arrived) => isTaken(s) && s.header.kind === "READABLE"
    const isUnpaid = (s: Arrived) => isTaken(s) && s.header.kind === "NONE"
    const isNew = (s: Arrived) => isUnpaid(s) && isOpen(own(s.key))
    const mayBeReplaced = (s: Arrived) => isNew(s) && s.checked?.refusal === null && s.late !== null
    const isQuoted = (s: Arrived) =>
      isNew(s) && s.checked?.refusal === null && (s.late === null || s.replacement?.kind === "USED_UP")
    const isVersion1 = (s: Arrived) => s.header.kind === "NONE" && s.header.isVersion1
    const mayBeTaken = (s: Arrived) =>
      isPaid(s) && (s.payload === null || (s.payload?.state === "RELEASED" && !isOther(s.key)))
    expectTable<Arrived>(
      FIRST_STATES.ARRIVED,
      {
        "REFUSE header": (s) => s.header.kind === "REFUSED",
        "REFUSE keyReused": (s) => isReused(s) || (isPaid(s) && isOther(s.key) && Boolean(s.payload)),
        "REFUSE soldElsewhere": (s) => s.header.kind !== "REFUSED" && !isReused(s) && isElsewhere(s),
        "REFUSE paymentsOff": (s) => s.header.kind !== "REFUSED" && !isReused(s) && !isElsewhere(s) && !s.sells,
        "REFUSE alreadyAcquired": (s) => isUnpaid(s) && isDelivered(own(s.key)),
        "PENDING job": (s) => (isUnpaid(s) || mayBeTaken(s)) && isJob(own(s.key)),
        "PENDING another": (s) => isUnpaid(s) && isRunning(own(s.key)),
        "CHECK QUOTE ARRIVAL": (s) => isNew(s) && s.checked === undefined,
        "REFUSE check": (s) => isNew(s) && s.checked?.refusal === ERRORS.check,
        REPLACE: (s) => mayBeReplaced(s) && s.replacement === undefined,
        "DELIVER first": (s) => mayBeReplaced(s) && s.replacement?.kind === "DELIVERED",
        "REFUSE late": (s) => mayBeReplaced(s) && s.replacement?.kind === "REFUSED",
        "REFUSE notReady": (s) => isQuoted(s) && s.checked?.notReady === ERRORS.notReady,
        "QUOTE new": (s) => isQuoted(s) && passed(s) && !isVersion1(s),
        "QUOTE X-Payment": (s) => isQuoted(s) && passed(s) && isVersion1(s),
        FIND_PAYLOAD: (s) => isPaid(s) && s.payload === undefined,
        FOLLOW: (s) => isPaid(s) && !isOther(s.key) && Boolean(s.payload) && s.payload?.state !== "RELEASED",
        EXAMINE: (s) => mayBeTaken(s) && !isJob(own(s.key)),
      },
      5_000,
    )
  })

  test("of a payment that is considered", () => {
    const fits = ({ examined }: Taking) => examined.fits
    const known = (s: Taking) => s.presented?.known ?? null
    const current = (s: Taking) => s.presented?.current ?? null
    const isFound = (s: Taking) => fits(s) === "THIS_BODY" && s.presented !== undefined
    const isOwn = (s: Taking) => known(s) !== null && known(s)?.requestId === current(s)?.id
    const isForeign = (s: Taking) => known(s) !== null && !isOwn(s)
    const isSame = (s: Taking) => known(s)?.payloadSha256 === HEADER
    const isReleased = (s: Taking) => known(s)?.state === "RELEASED"
    const kind = {
      same: (s: Taking) => isFound(s) && isOwn(s) && isSame(s) && !isReleased(s),
      sameOfOther: (s: Taking) => isFound(s) && isForeign(s) && isSame(s),
      nonceOfOther: (s: Taking) => isFound(s) && isForeign(s) && !isSame(s),
      failed: (s: Taking) => isFound(s) && isOwn(s) && !isSame(s) && known(s)?.state === "FAILED",
      bought: (s: Taking) =>
        isFound(s) &&
        !isOpen(current(s)) &&
        !isOwnClaim(known(s), current(s)) &&
        (known(s) === null || (isOwn(s) && (isReleased(s) || !isSame(s)) && known(s)?.state !== "FAILED")),
      again: (s: Taking) =>
        isFound(s) &&
        (isOpen(current(s)) || isOwnClaim(known(s), current(s))) &&
        isOwn(s) &&
        (isReleased(s) || !isSame(s)) &&
        known(s)?.state !== "FAILED",
      first: (s: Taking) => isFound(s) && known(s) === null && isOpen(current(s)),
    }
    const isStopped = (s: Taking) => fits(s) !== "THIS_BODY" && s.released?.watched === 1
    const isForHeld = (s: Taking) => fits(s) === "HELD_BODY" && !isStopped(s) && isOther(s.key)
    const held = (s: Taking) => (s.key.kind === "OTHER_BODY" ? s.key.record : null)
    const verification = (s: Taking) => s.verification?.kind
    const isVerified = (s: Taking) => verification(s) === "VERIFIED"
    const isUsed = (s: Taking) => s.verification?.kind === "VERIFIED" && s.verification.verified.alreadyUsed
    const isRejected = (s: Taking) => verification(s) === "REJECTED"
    const isOutside = (s: Taking) => s.verification?.kind === "REJECTED" && s.verification.isOutsideWindow
    const isSellable = (s: Taking) => (kind.first(s) || kind.again(s)) && passed(s)
    const needsVerifying = (s: Taking) =>
      kind.nonceOfOther(s) || kind.failed(s) || kind.bought(s) || kind.again(s) || (kind.first(s) && isSellable(s))
    const isWatched = (s: Taking) => (kind.failed(s) || kind.bought(s) || kind.again(s)) && known(s)?.watched === 1
    const isUncertain = (s: Taking) => isWatched(s) && (isRejected(s) || verification(s) === "UNAVAILABLE")
    const isDenied = (s: Taking) =>
      needsVerifying(s) &&
      s.verification !== undefined &&
      !isVerified(s) &&
      (!isWatched(s) || (!isOutside(s) && s.mayHavePaid === false))
    const isPublic = (s: Taking) => isUsed(s) || (known(s) !== null && !isReleased(s))
    const isSecret = (s: Taking) => kind.bought(s) && isVerified(s) && !isPublic(s)
    const isAnswered = (s: Taking) => isSecret(s) && s.answer?.payer === PAYER
    const isOwed = (s: Taking) => kind.bought(s) && isUsed(s) && isSame(s) && isWatched(s)
    const mustKeep = (s: Taking) =>
      kind.bought(s) && isUsed(s) && known(s) === null && !isDelivered(current(s)) && s.isKept === undefined
    const isBought = (s: Taking) =>
      kind.bought(s) &&
      isVerified(s) &&
      !isOwed(s) &&
      !mustKeep(s) &&
      (isPublic(s) || (s.answer !== undefined && !isAnswered(s)))
    const isChecking = (s: Taking) => kind.first(s) || (kind.again(s) && isVerified(s))
    const isReservable = (s: Taking) => isSellable(s) && isVerified(s)
    const reservation = (s: Taking) => (isReservable(s) ? s.reservation : undefined)
    const refusal = (s: Taking) => {
      const result = reservation(s)
      return result?.kind === "refused" ? result.error : null
    }
    const wasPresented = (s: Taking) => {
      const result = reservation(s)
      return result?.kind === "refused" && result.wasPresented
    }
    const takenAs = (s: Taking) => {
      const result = reservation(s)
      return result?.kind === "taken" ? `${result.rail} ${result.attemptId}` : ""
    }
    const work = (s: Taking) => (reservation(s)?.kind === "reserved" ? s.outcome?.kind : undefined)
    const mayHearOfKey = (s: Taking) => isForHeld(s) && s.presented?.known === null && isVerified(s) && !isUsed(s)
    expectTable<Taking>(
      FIRST_STATES.TAKING,
      {
        "FIND_PRESENTED of this body": (s) => fits(s) === "THIS_BODY" && s.presented === undefined,
        "FIND_PRESENTED of the held body": (s) => isForHeld(s) && isVerified(s) && s.presented === undefined,
        "VERIFY of this body": (s) => needsVerifying(s) && s.verification === undefined,
        "VERIFY of the held body": (s) => isForHeld(s) && s.verification === undefined,
        MAY_HAVE_PAID: (s) => isUncertain(s) && !isOutside(s) && s.mayHavePaid === undefined,
        FIND_ANSWER: (s) => isSecret(s) && s.answer === undefined,
        FIND_EXECUTION: (s) => mayHearOfKey(s) && isDelivered(held(s)) && s.execution === undefined,
        "CHECK PAYMENT ARRIVAL": (s) => isChecking(s) && s.checked === undefined,
        KEEP_USED: mustKeep,
        RESERVE: (s) => isReservable(s) && s.reservation === undefined,
        SETTLE: (s) => reservation(s)?.kind === "reserved" && s.outcome === undefined,
        "DELIVER first": (s) => work(s) === "delivered",
        FOLLOW: (s) => kind.same(s) || work(s) === "elsewhere" || takenAs(s) === "x402 attempt of the same payload",
        "DELIVER again": isAnswered,
        "PENDING job": (s) => takenAs(s) === "acp null" || (isBought(s) && isJob(current(s))),
        "PENDING another": (s) => takenAs(s) === "x402 null" || (isBought(s) && isRunning(current(s))),
        [`PENDING ${PAYER}`]: (s) =>
          isStopped(s) ||
          isOwed(s) ||
          (isUncertain(s) && (isOutside(s) || s.mayHavePaid === true)) ||
          (isChecking(s) && isUsed(s) && s.checked !== undefined && !passed(s)) ||
          (isUsed(s) && (refusal(s) === ERRORS.temporary || wasPresented(s))),
        [`PENDING ${PAYER} 0xsent`]: (s) => work(s) === "pending",
        "PROVE_UNPAID payment_failed": (s) => kind.failed(s) && isVerified(s),
        "PROVE_UNPAID expired_unused": (s) => work(s) === "failed",
        "PROVE_UNPAID too old": (s) => work(s) === "refused",
        "FIND_EQUAL rejected on chain": (s) => isDenied(s) && isRejected(s),
        "FIND_EQUAL rejected overdrawn": (s) => reservation(s)?.kind === "overdrawn",
        "FIND_EQUAL rejected quote_expired": (s) =>
          fits(s) === "HELD_BODY" && !isStopped(s) && (!isOther(s.key) || isRejected(s)),
        [`FIND_EQUAL rejected ${FOREIGN_QUOTE}`]: (s) => fits(s) === "NONE" && !isStopped(s),
        "FIND_EQUAL notVerifiable": (s) => (isDenied(s) || isForHeld(s)) && verification(s) === "UNAVAILABLE",
        "FIND_EQUAL presentedBefore": (s) =>
          kind.sameOfOther(s) ||
          (kind.nonceOfOther(s) && isVerified(s)) ||
          (isBought(s) && isDelivered(current(s)) && isPublic(s)) ||
          (isForHeld(s) && isVerified(s) && s.presented !== undefined && (s.presented.known !== null || isUsed(s))),
        "FIND_EQUAL acquiredByAnotherPayer": (s) => isBought(s) && isDelivered(current(s)) && !isPublic(s),
        "FIND_EQUAL keyReused": (s) => mayHearOfKey(s) && (!isDelivered(held(s)) || s.execution === null),
        "FIND_EQUAL keyReusedOfExecution": (s) => mayHearOfKey(s) && s.execution === "exe_answer",
        "FIND_EQUAL check": (s) => isChecking(s) && !isUsed(s) && s.checked?.refusal === ERRORS.check,
        "FIND_EQUAL notReady": (s) => isChecking(s) && !isUsed(s) && s.checked?.notReady === ERRORS.notReady,
        "FIND_EQUAL temporary": (s) => !isUsed(s) && refusal(s) === ERRORS.temporary,
        "FIND_EQUAL final": (s) => refusal(s) === ERRORS.final && !(isUsed(s) && wasPresented(s)),
        "FIND_EQUAL work": (s) => work(s) === "released",
      },
      50_000,
    )
  })

  test("of an attempt that is followed", () => {
    const is = (s: Following, ...states: readonly string[]) => s.attempt !== null && states.includes(s.attempt.state)
    const isOpenAttempt = (s: Following) => is(s, "RESERVED", "VERIFIED", "SETTLING")
    const isThoughUsed = (s: Following) => s.attempt?.reason === GIVEN_UP_THOUGH_USED
    const isGivenUp = (s: Following) => is(s, "RELEASED") && (s.refused === undefined || isThoughUsed(s))
    const mayHavePaid = (s: Following) => isThoughUsed(s) || s.mayHavePaid === true
    const isUnpaid = (s: Following) => isGivenUp(s) && !isThoughUsed(s) && s.mayHavePaid === false
    const follows = (refused: boolean) => (s: Following) =>
      isUnpaid(s) && s.checked !== undefined && (s.checked.refusal !== null) === refused
    expectTable<Following>(
      FIRST_STATES.FOLLOWING,
      {
        "PENDING another": (s) => s.attempt === null,
        [`PENDING ${PAYER}`]: (s) =>
          (isOpenAttempt(s) && s.isTimeUp) ||
          (isGivenUp(s) && mayHavePaid(s)) ||
          (is(s, "PAID_OWED") && s.attempt?.settledTx === null),
        [`PENDING ${PAYER} 0xowed`]: (s) => is(s, "PAID_OWED") && s.attempt?.settledTx !== null,
        WAIT: (s) => isOpenAttempt(s) && !s.isTimeUp,
        FIND_ANSWER: (s) => is(s, "SETTLED") && s.answer === undefined,
        "DELIVER again": (s) => is(s, "SETTLED") && s.answer !== undefined,
        "PROVE_UNPAID payment_failed, followed": (s) => is(s, "FAILED") && s.attempt?.reason === null,
        [`PROVE_UNPAID ${GIVEN_UP_THOUGH_USED}, followed`]: (s) => is(s, "FAILED") && isThoughUsed(s),
        "PROVE_UNPAID a reason, followed": (s) => is(s, "FAILED") && s.attempt?.reason === "a reason",
        MAY_HAVE_PAID: (s) => isGivenUp(s) && !isThoughUsed(s) && s.mayHavePaid === undefined,
        "CHECK PAYMENT NOW": (s) => isUnpaid(s) && s.checked === undefined,
        "FOLLOW check": follows(true),
        "FOLLOW givenUp": follows(false),
        "REFUSE refused": (s) => is(s, "RELEASED") && s.refused !== undefined && !isThoughUsed(s),
      },
      450,
    )
  })

  test("of an attempt that ended unpaid", () => {
    expectTable<Unpaid>(
      FIRST_STATES.UNPAID,
      {
        [`PENDING ${PAYER}`]: (s) => s.mayHavePaid,
        "CHECK REQUOTE ARRIVAL": (s) => !s.mayHavePaid && s.checked === undefined,
        "REFUSE check, failed": (s) => !s.mayHavePaid && s.checked?.refusal === ERRORS.check,
        "REFUSE notReady, failed": (s) => !s.mayHavePaid && s.checked?.notReady === ERRORS.notReady,
        "QUOTE a reason, failed": (s) => !s.mayHavePaid && passed(s),
      },
      9,
    )
  })

  test("of a payment that is not taken", () => {
    const isEqual = ({ equal }: NotTaken) => equal !== null && equal.state !== "RELEASED"
    const isWatched = ({ equal }: NotTaken) => equal?.state === "RELEASED" && equal.watched === 1
    const isGivenUp = (s: NotTaken) => isWatched(s) && s.equal?.reason === GIVEN_UP_THOUGH_USED
    const isUnjudged = (s: NotTaken) => isWatched(s) && !isGivenUp(s) && !s.isJudged
    const isQueried = (s: NotTaken) => isUnjudged(s) && s.why.kind === "REFUSED"
    const mayHavePaid = (s: NotTaken) =>
      isGivenUp(s) || (isUnjudged(s) && s.why.kind === "REJECTED") || (isQueried(s) && s.mayHavePaid === true)
    const isRejected = (s: NotTaken) => !isEqual(s) && !mayHavePaid(s) && s.why.kind === "REJECTED"
    const isForeign = (s: NotTaken) => s.why.kind === "REJECTED" && s.why.reason === FOREIGN_QUOTE
    const isProved = (s: NotTaken) => isRejected(s) && s.proved === OFFERED.authorization
    const isBoughtKey = (key: KeyUse | undefined) => isOther(key) || (key?.kind === "SAME_BODY" && !isOpen(key.record))
    const hasUsedKey = (s: NotTaken) => isProved(s) && isBoughtKey(s.used)
    const mayHear = (s: NotTaken) => hasUsedKey(s) && s.onChain === false
    const record = (s: NotTaken) => (s.used && s.used.kind !== "FREE" ? s.used.record : null)
    const isOtherPayment = (s: NotTaken) => mayHear(s) && own(s.used) !== null && s.answer !== undefined
    const isAnswered = (s: NotTaken) => isOtherPayment(s) && s.answer?.payer === PAYER
    const isStranger = (s: NotTaken) => isOtherPayment(s) && !isAnswered(s)
    const hearsOfKey = (s: NotTaken) => mayHear(s) && isOther(s.used)
    const isUnnamed = (s: NotTaken) =>
      isRejected(s) &&
      (s.proved === null || (isProved(s) && s.used !== undefined && (!isBoughtKey(s.used) || s.onChain === true)))
    const isOwner = (s: NotTaken) => isUnnamed(s) && s.product.owner === "SIGNER"
    const isNew = (s: NotTaken) => isUnnamed(s) && (!isOwner(s) || (s.current !== undefined && isOpen(own(s.current))))
    expectTable<NotTaken>(
      FIRST_STATES.NOT_TAKEN,
      {
        FOLLOW: isEqual,
        [`PENDING ${PAYER}`]: mayHavePaid,
        MAY_HAVE_PAID: (s) => isQueried(s) && s.mayHavePaid === undefined,
        "REFUSE final": (s) =>
          !isEqual(s) && !isGivenUp(s) && s.why.kind === "REFUSED" && (!isUnjudged(s) || s.mayHavePaid === false),
        PROVE_PAYER: (s) => isRejected(s) && s.proved === undefined,
        FIND_USED_KEY: (s) => isProved(s) && s.used === undefined,
        FIND_ON_CHAIN: (s) => hasUsedKey(s) && s.onChain === undefined,
        "REFUSE useUnknown": (s) => hasUsedKey(s) && s.onChain === "UNAVAILABLE",
        FIND_ANSWER: (s) => mayHear(s) && own(s.used) !== null && s.answer === undefined,
        FIND_EXECUTION: (s) => hearsOfKey(s) && isDelivered(record(s)) && s.execution === undefined,
        "DELIVER again": isAnswered,
        "REFUSE acquiredByAnotherPayer": (s) => isStranger(s) && isDelivered(record(s)),
        "REFUSE keyReused": (s) => hearsOfKey(s) && (!isDelivered(record(s)) || s.execution === null),
        "REFUSE keyReusedOfExecution": (s) => hearsOfKey(s) && s.execution === "exe_answer",
        FIND_CURRENT: (s) => isOwner(s) && s.current === undefined,
        "REFUSE alreadyAcquired": (s) => isOwner(s) && isDelivered(own(s.current)),
        "PENDING job": (s) => (isStranger(s) && isJob(record(s))) || (isOwner(s) && isJob(own(s.current))),
        "PENDING another": (s) => (isStranger(s) && isRunning(record(s))) || (isOwner(s) && isRunning(own(s.current))),
        "CHECK QUOTE ARRIVAL": (s) => isNew(s) && isForeign(s) && s.checked === undefined,
        "CHECK REQUOTE ARRIVAL": (s) => isNew(s) && !isForeign(s) && s.checked === undefined,
        "REFUSE check": (s) => isNew(s) && s.checked?.refusal === ERRORS.check,
        "REFUSE notReady": (s) => isNew(s) && s.checked?.notReady === ERRORS.notReady,
        "QUOTE quote_not": (s) => isNew(s) && isForeign(s) && passed(s),
        "QUOTE quote_exp": (s) => isNew(s) && !isForeign(s) && passed(s),
      },
      20_000,
    )
  })
})
