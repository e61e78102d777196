import { afterEach, beforeEach, expect, test } from "bun:test"
import { endAttempt, moveAttempt, settleAttempt } from "../../../src/store/payments/attempt-moves.ts"
import { settlingAttempts, unsettledAfter } from "../../../src/store/payments/unsettled-attempts.ts"
import { AT, LEASE, reserved } from "../money-rows.ts"
import { moneyStore } from "../money-store.ts"

const ACCOUNT = { chainId: 8453, asset: "usdc", payer: "payer" }
const PRICE = 790_000n

let store: Awaited<ReturnType<typeof moneyStore>>
beforeEach(async () => {
  store = await moneyStore()
})
afterEach(() => store.close())

async function settling(name: string, changes: Parameters<typeof reserved>[2] = {}): Promise<void> {
  await store.run(function* () {
    const id = yield* reserved(name, {}, changes)
    yield* moveAttempt(id, LEASE.owner, { from: "RESERVED", to: "SETTLING", at: `${AT}${name}`, detail: "sent" })
  })
}

const settle = (name: string) =>
  store.run(() =>
    settleAttempt(`att_${name}`, LEASE.owner, {
      from: "SETTLING",
      at: AT,
      transfer: { tx: `0x${name}`, logIndex: 1, block: "7", blockHash: "0xbb", finality: "INCLUDED" },
    }),
  )

const end = (name: string) =>
  store.run(() =>
    endAttempt(`att_${name}`, LEASE.owner, { from: "SETTLING", to: "FAILED", at: AT, reason: "x", watched: false }),
  )

const after = (...compared: readonly [string, boolean][]) =>
  store.run(() =>
    unsettledAfter(
      ACCOUNT,
      compared.map(([name, isTaken]) => ({ id: `att_${name}`, isTaken })),
    ),
  )

test("only what is SETTLING for this payer, asset and chain is compared with a block: the first 32", async () => {
  for (let name = 40; name > 0; name--) await settling(String(name).padStart(2, "0"))
  await settling("other", { payer: "other" })
  await store.run(() => reserved("reserved"))
  const listed = await store.run(() => settlingAttempts(ACCOUNT))
  const first = Array.from({ length: 32 }, (_, at) => String(at + 1).padStart(2, "0"))
  expect(listed).toMatchObject(first.map((name) => ({ id: `att_${name}`, nonce: `nonce-att_${name}` })))
  expect(await store.run(() => settlingAttempts({ ...ACCOUNT, asset: "eurc" }))).toEqual([])
  expect(await store.run(() => settlingAttempts({ ...ACCOUNT, chainId: 1 }))).toEqual([])
})

test("an attempt that had taken its money by the block takes nothing more", async () => {
  await settling("1")
  await settling("2")
  expect(await after()).toBe(2n * PRICE)
  expect(await after(["1", true], ["2", false])).toBe(PRICE)
  expect(await after(["1", true], ["2", true])).toBe(0n)
})

test("an attempt that is concluded meanwhile counts once: only if it is paid and the block does not have its transfer", async () => {
  await settling("1")
  await settling("2")
  await settle("1")
  await end("2")
  expect(await after()).toBe(0n)
  expect(await after(["1", true], ["2", true])).toBe(0n)
  expect(await after(["1", false], ["2", false])).toBe(PRICE)
})
