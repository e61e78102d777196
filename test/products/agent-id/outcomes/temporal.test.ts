import { expect, test } from "bun:test"
import { temporalOutcome } from "../../../../src/products/agent-id/outcomes/temporal.ts"
import { claimedWindow } from "../../../../src/products/agent-id/signature-window.ts"

const FROM = "2026-03-01T12:00:00.000Z"
const TO = "2026-03-01T12:05:00.000Z"
const at = (time: string) => Date.parse(time)

test.each<[string, string, string, string, string, string[]]>([
  ["the first instant of skew", FROM, TO, "2026-03-01T11:59:30.000Z", "WITHIN_WINDOW", []],
  ["before the skew", FROM, TO, "2026-03-01T11:59:29.999Z", "NOT_YET_VALID", []],
  ["the last instant of skew", FROM, TO, "2026-03-01T12:05:29.999Z", "WITHIN_WINDOW", []],
  ["the instant skew ends", FROM, TO, "2026-03-01T12:05:30.000Z", "EXPIRED", []],
  ["a window of 300 s in two zones", FROM, "2026-03-01T13:05:00+01:00", FROM, "WITHIN_WINDOW", []],
  ["a window of a millisecond more", FROM, "2026-03-01T12:05:00.001Z", FROM, "WINDOW_TOO_LONG", []],
  ["a window that ends where it starts", FROM, FROM, FROM, "NOT_EVALUATED", ["WINDOW_EMPTY"]],
  ["a window that ends before it starts", TO, FROM, FROM, "NOT_EVALUATED", ["WINDOW_EMPTY"]],
  ["30 February", "2026-02-30T00:00:00Z", TO, FROM, "NOT_EVALUATED", ["TIME_NOT_IN_CALENDAR"]],
  ["hour 25", FROM, "2026-03-01T25:00:00Z", FROM, "NOT_EVALUATED", ["TIME_NOT_IN_CALENDAR"]],
])("%s", (_, issuedAt, expiresAt, now, outcome, reasons) => {
  const claimed = claimedWindow({ issued_at: issuedAt, expires_at: expiresAt })
  expect(temporalOutcome(claimed, at(now))).toEqual({
    outcome,
    issued_at: issuedAt,
    expires_at: expiresAt,
    clock_skew_allowed_seconds: 30,
    reason_codes: reasons,
  } as never)
})

test("a signature without a time gets no time outcome", () => {
  expect(temporalOutcome(null, at(FROM))).toEqual({
    outcome: "NO_TIME_CLAIM",
    issued_at: null,
    expires_at: null,
    clock_skew_allowed_seconds: 30,
    reason_codes: [],
  })
})
