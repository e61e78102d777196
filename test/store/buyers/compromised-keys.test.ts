import { expect, test } from "bun:test"
import { stillVouches } from "../../../src/store/buyers/compromised-keys.ts"

test("a signature made before its key was lost is valid; from that instant on it is not", () => {
  const lost = [{ keyId: "k1", since: "2026-01-10T00:00:00.000Z" }]
  const rows: readonly [keyId: string, signedAt: string, stands: boolean][] = [
    ["k1", "2026-01-09T23:59:59.999Z", true],
    ["k1", "2026-01-10T00:00:00.000Z", false],
    ["k1", "2026-01-10T00:00:00+01:00", true],
    ["k2", "2026-02-01T00:00:00Z", true],
  ]
  for (const [keyId, signedAt, stands] of rows) expect(stillVouches({ keyId, signedAt }, lost)).toBe(stands)
  const known = [...lost, { keyId: "k1", since: "2026-01-01T00:00:00.000Z" }]
  expect(stillVouches({ keyId: "k1", signedAt: "2026-01-09T00:00:00Z" }, known)).toBe(false)
})
