import { afterEach, beforeEach, expect, test } from "bun:test"
import { endAttempt, moveAttempt, settleAttempt } from "../../../src/store/payments/attempt-moves.ts"
import { settlingAttempts, unpaidAt } from "../../../src/store/payments/unsettled-attempts.ts"
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

const settle = (name: string, block: string) =>
  store.run(() =>
    settleAttempt(`att_${name}`, LEASE.owner, {
      from: "SETTLING",
      at: `${AT}${name}`,
      transfer: { tx: `0x${name}`, logIndex: 1, block, blockHash: "0xbb", finality: "INCLUDED" },
    }),
  )

const end = (name: string) =>
  store.run(() =>
    endAttempt(`att_${name}`, LEASE.owner, {
      from: "SETTLING",
      to: "FAILED",
      at: AT,
      reason: "x",
      watched: false,
      usedBlock: null,
    }),
  )

const at = (block: bigint, ...taken: readonly string[]) =>
  store.run(() =>
    unpaidAt(
      ACCOUNT,
      block,
      taken.map((name) => `att_${name}`),
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
  expect(await at(7n)).toBe(2n * PRICE)
  expect(await at(7n, "1")).toBe(PRICE)
  expect(await at(7n, "1", "2")).toBe(0n)
})

test("an attempt that is concluded meanwhile counts only if its transfer is in a later block", async () => {
  for (const name of ["1", "2", "3"]) await settling(name)
  await settle("1", "9")
  await settle("2", "10")
  await end("3")
  expect(await at(8n)).toBe(2n * PRICE)
  expect(await at(9n)).toBe(PRICE)
  expect(await at(10n)).toBe(0n)
  expect(await at(10n, "1", "2", "3")).toBe(0n)
})

test("a transfer of another payer, asset or chain takes nothing", async () => {
  for (const [name, changes] of Object.entries({
    payer: { payer: "other" },
    asset: { asset: "eurc" },
    chain: { chainId: 1 },
  })) {
    await settling(name, changes)
    expect(await at(8n)).toBe(0n)
    await settle(name, "9")
  }
  expect(await at(8n)).toBe(0n)
})

test("the transfers that were concluded last are compared: 32", async () => {
  for (let name = 40; name > 0; name--) {
    const two = String(name).padStart(2, "0")
    await settling(two)
    await settle(two, String(name))
  }
  expect(await at(0n)).toBe(32n * PRICE)
  expect(await at(38n)).toBe(2n * PRICE)
})
