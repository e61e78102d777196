import { expect, test } from "bun:test"
import fc from "fast-check"
import { delegationUse } from "../../../src/store/buyers/delegation-use.ts"
import type { Unit } from "../../../src/store/engine/unit.ts"
import { takeAbandoned } from "../../../src/store/payments/attempt-leases.ts"
import {
  endAttempt,
  keepUsedAttempt,
  moveAttempt,
  reserveAttempt,
  reviveAttempt,
  settleAttempt,
} from "../../../src/store/payments/attempt-moves.ts"
import {
  concludeSettlement,
  noteUnused,
  noteUsed,
  owePaidAttempt,
  stopWatching,
} from "../../../src/store/payments/attempt-watch.ts"
import type { AttemptState } from "../../../src/store/payments/attempts.ts"
import { findAttempt } from "../../../src/store/payments/attempts.ts"
import { unsettledValue } from "../../../src/store/payments/unsettled-value.ts"
import { findLivePurchase } from "../../../src/store/sales/purchases.ts"
import { claimRequest, countAgainst, moveRequest } from "../../../src/store/sales/requests.ts"
import { atLength } from "../../fixtures/long.ts"
import { LEASE, newAttempt, newRequest } from "../money-rows.ts"
import { moneyStore } from "../money-store.ts"
import { keptSums, sumsOverRows } from "../money-sums.ts"
import { countsOverRows, keptCounts } from "../operator-counts.ts"

const DAYS = ["2026-11-20", "2026-11-21", "2026-11-22"] as const
const DELEGATIONS = [null, "dlg_a", "dlg_b"] as const
const REQUESTS = 3
const ATTEMPTS = 6

/** The moves to try with an attempt in this state. `NONE` means that there is no attempt yet. */
const MOVES = {
  NONE: ["reserve", "reserve", "keep"],
  RESERVED: ["verify", "settle", "end", "end", "count"],
  VERIFIED: ["settling", "end"],
  SETTLING: ["settle", "settle", "end"],
  SETTLED: ["safe"],
  FAILED: ["owe", "forget", "count", "used", "unused"],
  RELEASED: ["revive", "owe", "forget", "count", "used", "unused"],
  PAID_OWED: ["settle"],
} as const satisfies Record<AttemptState | "NONE", readonly string[]>

const step = fc.record({
  move: fc.nat(99),
  attempt: fc.nat(ATTEMPTS - 1),
  to: fc.constantFrom("RELEASED", "FAILED"),
  day: fc.constantFrom(...DAYS),
  payer: fc.constantFrom("payer-1", "payer-2"),
  // More than 64 bits, which the interface allows.
  value: fc.constantFrom("150000", "790000", "99999999999999999999"),
  delegation: fc.constantFrom(...DELEGATIONS),
  mandateDelegation: fc.constantFrom(...DELEGATIONS),
  block: fc.integer({ min: 1, max: 4 }),
  usedBlock: fc.constantFrom(null, 2, 3),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Ended attempts that claim their request, and those that were seen as used. */
const CLAIMED = `SELECT a.id FROM payment_attempt a JOIN purchase p ON p.id = a.id
  WHERE a.state IN ('FAILED', 'RELEASED') AND p.state = 'OWED' ORDER BY a.id`
const SEEN_USED = `SELECT id FROM payment_attempt
  WHERE state IN ('FAILED', 'RELEASED') AND used_block IS NOT NULL ORDER BY id`

/** Performs the step on the attempt. False if the move is not possible now; then nothing changes. */
function* take(given: Step): Unit<boolean> {
  const id = `att_${given.attempt}`
  const requestId = `drq_${given.attempt % REQUESTS}`
  const at = `${given.day}T10:00:00.000Z`
  const attempt = yield* findAttempt(id)
  const from = (attempt?.state ?? "RESERVED") as AttemptState
  const transfer = { tx: `0x${given.attempt}`, logIndex: 0, block: "1", blockHash: "0x1" }
  const { owner } = LEASE
  const moves = MOVES[attempt?.state ?? "NONE"]
  switch (moves[given.move % moves.length]) {
    case "reserve":
      if (yield* findLivePurchase(requestId)) return false
      return (
        (yield* reserveAttempt(
          newAttempt(id, requestId, { createdAt: at, payer: given.payer, value: given.value }),
          LEASE,
        )) !== null
      )
    case "keep":
      yield* keepUsedAttempt(
        {
          ...newAttempt(id, requestId, { createdAt: at, payer: given.payer, value: given.value }),
          usedBlock: given.usedBlock ?? 1,
        },
        "x",
      )
      return true
    case "revive":
      if (yield* findLivePurchase(requestId)) return false
      return (
        (yield* reviveAttempt(id, { json: "{}", sha256: `payload-${id}`, usedBlock: given.usedBlock }, LEASE, at)) !==
        null
      )
    case "verify":
      return yield* moveAttempt(id, owner, { from: "RESERVED", to: "VERIFIED", at, detail: "" })
    case "settling":
      return yield* moveAttempt(id, owner, { from: "VERIFIED", to: "SETTLING", at, detail: "" })
    case "settle":
      if (from === "PAID_OWED") yield* takeAbandoned(LEASE, at)
      if (from === "PAID_OWED" && (yield* findLivePurchase(requestId))) return false
      return yield* settleAttempt(id, owner, { from, at, transfer: { ...transfer, finality: "INCLUDED" } })
    case "end": {
      const { to, usedBlock } = given
      return yield* endAttempt(id, owner, { from, to, at, reason: "x", watched: true, usedBlock })
    }
    case "owe":
      return yield* owePaidAttempt({ id, state: from }, transfer, at)
    case "safe":
      return yield* concludeSettlement({ id, settledBlockHash: "0x1" }, "SAFE", at)
    case "forget":
      return yield* stopWatching(id)
    case "used":
      yield* noteUsed(id, given.block)
      return true
    case "unused":
      yield* noteUnused(id, given.block)
      return true
    case "count":
      yield* countAgainst(requestId, {
        delegationId: given.delegation,
        mandateDelegationId: given.mandateDelegation,
      })
      return true
    default:
      throw new Error("no such move")
  }
}

test("after any moves of attempts the stored sums and counts equal those over the rows", async () => {
  let moves = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      const store = await moneyStore()
      try {
        for (let n = 0; n < REQUESTS; n++) {
          const amountMillionths = [null, "1000000", "123456", "999999999999999999999999"][n] ?? null
          await store.run(() => claimRequest(newRequest(`drq_${n}`, { amountMillionths })))
        }
        for (const one of steps) {
          if (await store.run(() => take(one))) moves++
          expect(await keptSums(store)).toEqual(await sumsOverRows(store))
          expect(await keptCounts(store)).toEqual(await countsOverRows(store))
          expect(await store.rows(CLAIMED)).toEqual(await store.rows(SEEN_USED))
        }
        for (const payer of ["payer-1", "payer-2"]) {
          const account = { chainId: 8453, asset: "usdc", payer }
          const kept = (await sumsOverRows(store)).unsettled[`8453 usdc ${payer}`] ?? 0n
          expect(await store.run(() => unsettledValue(account))).toBe(kept)
        }
      } finally {
        await store.close()
      }
    }),
    { numRuns: atLength(6, 20) },
  )
  expect(moves).toBeGreaterThan(atLength(30, 150))
})

test("a delegation's day begins at midnight UTC, and later attempts count for their own day", async () => {
  const store = await moneyStore()
  for (const [n, day] of DAYS.entries()) {
    await store.run(function* () {
      yield* claimRequest(newRequest(`drq_${n}`))
      yield* countAgainst(`drq_${n}`, { delegationId: "dlg_a", mandateDelegationId: "dlg_a" })
      yield* reserveAttempt(newAttempt(`att_${n}`, `drq_${n}`, { createdAt: `${day}T23:59:59.999Z` }), LEASE)
      yield* moveRequest(`drq_${n}`, "COMPUTED", `${day}T23:59:59.999Z`)
    })
  }
  const use = (day: string) => store.run(() => delegationUse("dlg_a", `${day}T00:00:00.000Z`))
  expect(await Promise.all(DAYS.map(use))).toEqual(
    [3, 2, 1].map((requestsToday) => ({ totalMillionths: 3_000_000n, requestsToday })),
  )
  await store.close()
})
