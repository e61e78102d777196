import { expect, test } from "bun:test"
import { isAboutClock, TOO_CLOSE_TO_EXPIRY, withClocks } from "../../src/payments/clocks.ts"

const PREFIX = "invalid_exact_evm_payload_authorization"
const REASONS = [`${PREFIX}_valid_after`, `${PREFIX}_valid_before`, TOO_CLOSE_TO_EXPIRY]
const NOW = Date.UTC(2026, 10, 28, 12)

test.each(REASONS)("%s is followed by what was expected, the block's time and the service's", (reason) => {
  const said = withClocks(reason, NOW, NOW / 1000 - 600)
  expect(said).toStartWith(`${reason}: `)
  expect(said).toEndWith(". Block time 2026-11-28T11:50:00.000Z, service time 2026-11-28T12:00:00.000Z")
  expect(isAboutClock(reason)).toBe(true)
  // Else `agent pay` would not show it.
  expect(said).toMatch(/^[\w .,:-]{1,200}$/)
})

test("a block that the node does not state is not known", () => {
  expect(withClocks(`${PREFIX}_valid_after`, NOW, null)).toContain("Block time not known now, ")
})

test("other reasons are about no clock", () => {
  for (const reason of ["quote_expired", "invalid_exact_evm_signature", "toString"])
    expect(isAboutClock(reason)).toBe(false)
})
