/** All wallets together: while they are half full, an entry ends within seven days, so no flood takes the place of others for longer. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { DAY } from "../../src/core/time.ts"
import { SHARED_CAPS } from "../../src/store/free-writes/shared-caps.ts"
import { WALLET_TOTAL_MAX } from "../../src/store/wallet/wallet-total.ts"
import * as made from "../agent-mode/wallet/artifacts.ts"
import { openWallets, type Wallets } from "../agent-mode/wallet/wallets.ts"

let wallets: Wallets
beforeAll(async () => {
  wallets = await openWallets()
})
afterAll(() => wallets.service[Symbol.asyncDispose]())

test("another agent imports while all wallets are half full, for seven days", async () => {
  const agent = await wallets.service.enrol()
  made.elsewhere(wallets.service, "UPDATE wallet_total SET entries = ?1", WALLET_TOTAL_MAX.entries / 2)
  const now = wallets.service.clock.now()
  const until = (days: number) => new Date(now + days * DAY).toISOString()
  const long = await wallets.bring("PROOF_CAPSULE", made.decision(), { as: agent, until: until(8) })
  expect(long.refusal).toBe("429 WALLET_FULL ALL_WALLETS_KEEP_SEVEN_DAYS")
  const short = await wallets.bring("PROOF_CAPSULE", made.decision(), { as: agent, until: until(7) })
  expect(short.status).toBe(200)
})

test("what a week lets in is less than the other half", () => {
  const week = 7
  expect(week * SHARED_CAPS.WALLET_IMPORTS.max).toBeLessThan(WALLET_TOTAL_MAX.entries / 2)
  expect(week * SHARED_CAPS.WALLET_IMPORTS.max).toBeLessThan(WALLET_TOTAL_MAX.answers)
  expect(week * SHARED_CAPS.WALLET_DOCUMENTS.max * 64 * 1024).toBeLessThan(WALLET_TOTAL_MAX.documentBytes / 2)
})
