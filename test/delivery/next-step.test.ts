/** What a presented payment is, as a table: no chain and no database. */
import { describe, expect, test } from "bun:test"
import { type CurrentRequest, classify, type KnownAttempt } from "../../src/delivery/next-step.ts"
import type { AttemptState } from "../../src/store/payments/attempts.ts"
import { CLAIMING_PURCHASES, type PurchaseState } from "../../src/store/sales/purchases.ts"

const HEADER = "presented header"
const ATTEMPT_STATES: readonly AttemptState[] = [
  "RESERVED",
  "VERIFIED",
  "SETTLING",
  "SETTLED",
  "FAILED",
  "RELEASED",
  "PAID_OWED",
]

const attempt = (requestId: string, payloadSha256: string, state: AttemptState): KnownAttempt => ({
  requestId,
  payloadSha256,
  state,
})
const request = (state: CurrentRequest["state"], claim: PurchaseState | null = null): CurrentRequest => ({
  id: "this request",
  state,
  purchase: claim === null ? null : { id: "att", rail: "x402", state: claim },
})

type Kind = ReturnType<typeof classify>["kind"]
type Row = readonly [kind: Kind, when: string, known: KnownAttempt | null, current: CurrentRequest | null]

const ROWS: readonly Row[] = [
  ["FIRST", "no record of the key, no attempt", null, null],
  ["FIRST", "an open request without an attempt", null, request("NEW")],
  ["FIRST", "a computed request without an attempt", null, request("COMPUTED")],
  ["SAME_PAYLOAD", "its attempt is running", attempt("this request", HEADER, "SETTLING"), request("NEW", "LIVE")],
  ["SAME_PAYLOAD", "its attempt settled", attempt("this request", HEADER, "SETTLED"), request("DELIVERED", "ACQUIRED")],
  ["SAME_PAYLOAD", "its attempt failed", attempt("this request", HEADER, "FAILED"), request("NEW")],
  [
    "SAME_PAYLOAD",
    "its attempt failed, and another payment acquired the request",
    attempt("this request", HEADER, "FAILED"),
    request("DELIVERED", "ACQUIRED"),
  ],
  ["SAME_PAYLOAD_OF_ANOTHER_REQUEST", "under a new key", attempt("another request", HEADER, "SETTLED"), null],
  [
    "SAME_PAYLOAD_OF_ANOTHER_REQUEST",
    "its attempt was released",
    attempt("another request", HEADER, "RELEASED"),
    request("NEW"),
  ],
  ["NONCE_OF_ANOTHER_REQUEST", "under a new key", attempt("another request", "another header", "SETTLED"), null],
  [
    "NONCE_OF_ANOTHER_REQUEST",
    "its attempt failed",
    attempt("another request", "another header", "FAILED"),
    request("DELIVERED", "ACQUIRED"),
  ],
  ["FAILED_BEFORE", "the request is open", attempt("this request", "another header", "FAILED"), request("NEW")],
  [
    "FAILED_BEFORE",
    "another payment acquired the request",
    attempt("this request", "another header", "FAILED"),
    request("DELIVERED", "ACQUIRED"),
  ],
  ["ACQUIRED_BY_ANOTHER_PAYMENT", "the request is delivered", null, request("DELIVERED", "ACQUIRED")],
  ["ACQUIRED_BY_ANOTHER_PAYMENT", "a delivery without an attempt of its own", null, request("DELIVERED")],
  ["ACQUIRED_BY_ANOTHER_PAYMENT", "another payment is running", null, request("NEW", "LIVE")],
  ["ACQUIRED_BY_ANOTHER_PAYMENT", "another payment is owed", null, request("NEW", "OWED")],
  [
    "ACQUIRED_BY_ANOTHER_PAYMENT",
    "its own attempt was released before",
    attempt("this request", HEADER, "RELEASED"),
    request("DELIVERED", "ACQUIRED"),
  ],
  [
    "ACQUIRED_BY_ANOTHER_PAYMENT",
    "its authorization is running in another header",
    attempt("this request", "another header", "SETTLING"),
    request("NEW", "LIVE"),
  ],
  ["RELEASED_AGAIN", "in the same header", attempt("this request", HEADER, "RELEASED"), request("NEW")],
  ["RELEASED_AGAIN", "in another header", attempt("this request", "another header", "RELEASED"), request("COMPUTED")],
]

test.each(ROWS)("%s: %s", (kind, _when, known, current) => {
  expect(classify(known, current, HEADER).kind).toBe(kind)
})

test("the rows have every member", () => {
  expect([...new Set<string>(ROWS.map(([kind]) => kind))].sort()).toEqual(Object.keys(WHEN).sort())
})

/** When each member applies, without an order between them. */
const WHEN: Readonly<Record<Kind, (known: KnownAttempt | null, current: CurrentRequest | null) => boolean>> = {
  FIRST: (known, current) => known === null && !isAcquired(current),
  SAME_PAYLOAD: (known, current) => isOwn(known, current) && isSame(known) && known?.state !== "RELEASED",
  SAME_PAYLOAD_OF_ANOTHER_REQUEST: (known, current) => known !== null && !isOwn(known, current) && isSame(known),
  NONCE_OF_ANOTHER_REQUEST: (known, current) => known !== null && !isOwn(known, current) && !isSame(known),
  FAILED_BEFORE: (known, current) => isOwn(known, current) && !isSame(known) && known?.state === "FAILED",
  ACQUIRED_BY_ANOTHER_PAYMENT: (known, current) =>
    isAcquired(current) && (known === null || isStillOpen(known, current)),
  RELEASED_AGAIN: (known, current) => !isAcquired(current) && isStillOpen(known, current),
}

const isOwn = (known: KnownAttempt | null, current: CurrentRequest | null) =>
  known !== null && known.requestId === current?.id
const isSame = (known: KnownAttempt | null) => known?.payloadSha256 === HEADER
const isAcquired = (current: CurrentRequest | null) => current?.state === "DELIVERED" || Boolean(current?.purchase)
/** An attempt of this request whose header does not yet say what the response is. */
const isStillOpen = (known: KnownAttempt | null, current: CurrentRequest | null) =>
  isOwn(known, current) && (known?.state === "RELEASED" || (!isSame(known) && known?.state !== "FAILED"))

const EVERY_KNOWN: readonly (KnownAttempt | null)[] = [
  null,
  ...["this request", "another request"].flatMap((requestId) =>
    [HEADER, "another header"].flatMap((payload) => ATTEMPT_STATES.map((state) => attempt(requestId, payload, state))),
  ),
]
const EVERY_CURRENT: readonly (CurrentRequest | null)[] = [
  null,
  ...(["NEW", "COMPUTED", "DELIVERED"] as const).flatMap((state) =>
    [null, ...CLAIMING_PURCHASES].map((claim) => request(state, claim)),
  ),
]

describe("every combination of the states", () => {
  const combinations = EVERY_KNOWN.flatMap((known) => EVERY_CURRENT.map((current) => ({ known, current })))

  test("ends in exactly one member", () => {
    expect(combinations.length).toBe(29 * 13)
    for (const { known, current } of combinations) {
      const applying = (Object.keys(WHEN) as Kind[]).filter((kind) => WHEN[kind](known, current))
      expect({ known, current, applying }).toEqual({
        known,
        current,
        applying: [classify(known, current, HEADER).kind],
      })
    }
  })

  test("carries the records it was given, and changes none", () => {
    for (const { known, current } of combinations) {
      const before = JSON.stringify({ known, current })
      const classified = classify(known, current, HEADER)
      if ("known" in classified) expect(classified.known).toBe(known)
      if ("current" in classified) expect(classified.current).toBe(current as CurrentRequest)
      expect(JSON.stringify({ known, current })).toBe(before)
    }
  })

  test("a live or owed attempt of this request that claims it never counts as released", () => {
    const claiming: Record<(typeof CLAIMING_PURCHASES)[number], AttemptState> = {
      LIVE: "SETTLING",
      ACQUIRED: "SETTLED",
      OWED: "PAID_OWED",
    }
    for (const state of CLAIMING_PURCHASES) {
      const known = attempt("this request", "another header", claiming[state])
      expect(classify(known, request("NEW", state), HEADER).kind).toBe("ACQUIRED_BY_ANOTHER_PAYMENT")
    }
  })
})
