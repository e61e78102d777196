import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { formatInstant, MINUTE } from "../../../../src/core/time.ts"
import type { SourceState } from "../../../../src/sources/boards/source-board.ts"
import { SOURCE_IDS } from "../../../fixtures/decision.ts"
import { freshRequest, staticBoard } from "../../../fixtures/test-server.ts"
import { healthyBoard, LISTED, openSeller, type Seller } from "./seller.ts"

let seller: Seller
beforeAll(async () => {
  seller = await openSeller()
})
afterAll(() => seller.close())

describe("the required sources", () => {
  const boardWith = (sourceId: string, change: (state: SourceState, at: number) => Partial<SourceState>) =>
    staticBoard(LISTED, (state) => (state.sourceId === sourceId ? { ...state, ...change(state, Date.now()) } : state))
  const rows: readonly (readonly [
    string,
    string,
    Partial<SourceState> | ((state: SourceState, at: number) => Partial<SourceState>),
  ])[] = [
    ["STALE", "SOURCE_STALE", { health: "STALE", freshness: "STALE", reasonCodes: ["TOO_OLD"] }],
    ["UNAVAILABLE", "SOURCE_UNAVAILABLE", { health: "UNAVAILABLE", snapshot: null, staleAt: null }],
    ["SCHEMA_BREAK", "SOURCE_SCHEMA_BREAK", { health: "SCHEMA_BREAK" }],
    ["DISABLED", "SOURCE_DISABLED", { health: "DISABLED" }],
    ["about to go stale", "SOURCE_STALE", (_, now) => ({ staleAt: formatInstant(now + 9 * MINUTE) })],
  ]
  test.each(SOURCE_IDS.flatMap((id) => rows.map(([name, code, change]) => [id, name, code, change] as const)))(
    "%s %s gets 503 with Retry-After and no quote",
    async (sourceId, _, code, change) => {
      seller.useBoard(boardWith(sourceId, typeof change === "function" ? change : () => change))
      const refusal = await seller.refused(freshRequest())
      seller.useBoard(healthyBoard)
      expect([refusal.code, refusal.status]).toEqual([code, 503])
      expect(Number(refusal.headers.get("retry-after"))).toBeGreaterThan(0)
    },
  )

  test("an aging source is healthy", async () => {
    seller.useBoard(boardWith("US_TRADE_CSL", () => ({ freshness: "AGING" })))
    expect((await seller.refused(freshRequest())).status).toBe(402)
    seller.useBoard(healthyBoard)
  })

  test("a list that its publisher just confirmed has the age of the confirmation, however old its retrieval is", async () => {
    const state = (checkedAt: (now: number) => number) =>
      boardWith("US_TRADE_CSL", ({ snapshot }, now) => ({
        snapshot: snapshot && { ...snapshot, retrievedAt: formatInstant(now - 72 * 60 * MINUTE) },
        checkedAt: formatInstant(checkedAt(now)),
      }))
    const request = () =>
      freshRequest({
        request: { freshness_requirements: { max_age_seconds: 7200, evaluated_at: formatInstant(Date.now()) } },
      })
    seller.useBoard(state((now) => now - MINUTE))
    expect((await seller.refused(request())).status).toBe(402)
    seller.useBoard(state((now) => now - 72 * 60 * MINUTE))
    expect((await seller.refused(request())).problem.reason_codes).toEqual(["MAX_AGE_SECONDS_EXCEEDED"])
    seller.useBoard(healthyBoard)
  })

  // The board's snapshots are an hour old. The check requires ten minutes of validity beyond their age.
  test.each([
    [1, 503, ["MAX_AGE_SECONDS_EXCEEDED"]],
    [3600, 503, ["MAX_AGE_SECONDS_EXCEEDED"]],
    [4100, 503, ["STALE_WITHIN_TEN_MINUTES"]],
    [4300, 402, undefined],
  ])("max_age_seconds %i tightens the age limit", async (max_age_seconds, status, reasons) => {
    const request = freshRequest({
      request: { freshness_requirements: { max_age_seconds, evaluated_at: formatInstant(Date.now()) } },
    })
    const refusal = await seller.refused(request)
    expect(refusal.status).toBe(status)
    expect([refusal.code, refusal.problem.reason_codes]).toEqual([
      status === 503 ? "SOURCE_STALE" : "",
      reasons as never,
    ])
  })
})
