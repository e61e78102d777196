import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import {
  allocateNonce,
  bookBurnedGas,
  detachNonce,
  gasBurned,
  lastMinedNonce,
  markMined,
  openNonces,
  reopenNonces,
  storeTransaction,
  transactionsOf,
} from "../../src/store/relayer-ledger.ts"
import { AT, LATER, moneyStore, reserved } from "./money-rows.ts"

let store: ReturnType<typeof moneyStore>
beforeEach(async () => {
  store = moneyStore()
  await store.run(() => reserved("1"))
  await store.run(() => reserved("2"))
})
afterEach(() => store.close())

const allocate = (attemptId: string | null, mined = 5) =>
  store.run(() => allocateNonce("relayer", attemptId, mined, AT))
const transaction = (txHash: string, nonce: number, createdAt = AT) => ({
  txHash,
  relayer: "relayer",
  nonce,
  raw: `raw-${txHash}`,
  maxFeeWei: "1",
  createdAt,
})
const keep = (txHash: string, nonce: number, attemptId: string | null, at = AT) =>
  store.run(() => storeTransaction(transaction(txHash, nonce, at), attemptId))

describe("allocating", () => {
  test("goes on from the chain's count, then from our own, however many ask at once", async () => {
    const nonces = await Promise.all(Array.from({ length: 20 }, () => allocate(null)))
    expect(nonces.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => 5 + i))
  })

  test("never falls back when the chain's count does", async () => {
    expect([await allocate(null, 9), await allocate(null, 0), await allocate(null, 40)]).toEqual([9, 10, 40])
  })
})

describe("keeping a raw transaction", () => {
  test("only for the attempt the nonce was allocated to", async () => {
    const nonce = await allocate("att_1")
    expect(await keep("0x1", nonce, "att_2")).toBe(false)
    expect(await keep("0x1", nonce, null)).toBe(false)
    expect(await keep("0x1", nonce, "att_1")).toBe(true)
    expect(await store.run(() => transactionsOf("relayer", nonce))).toHaveLength(1)
  })

  test("not for a nonce that was cut off from its attempt: a slow worker and the filler cannot both send", async () => {
    const nonce = await allocate("att_1")
    expect(await store.run(() => detachNonce("relayer", nonce, AT))).toBe(true)
    expect(await keep("0x1", nonce, "att_1")).toBe(false)
    expect(await keep("0xf", nonce, null)).toBe(true)
  })

  test("a nonce that has one is not cut off any more", async () => {
    const nonce = await allocate("att_1")
    await keep("0x1", nonce, "att_1")
    expect(await store.run(() => detachNonce("relayer", nonce, AT))).toBe(false)
  })

  test("not for a mined nonce; of several the newest comes first", async () => {
    const nonce = await allocate("att_1")
    await keep("0x1", nonce, "att_1", AT)
    await keep("0x2", nonce, "att_1", LATER)
    expect((await store.run(() => transactionsOf("relayer", nonce))).map(({ txHash }) => txHash)).toEqual([
      "0x2",
      "0x1",
    ])
    await store.run(() => markMined("relayer", nonce, LATER))
    expect(await keep("0x3", nonce, "att_1")).toBe(false)
    expect(await store.run(() => openNonces("relayer"))).toEqual([])
  })
})

describe("a reorganization", () => {
  test("opens again exactly the mined nonces from the chain's count on", async () => {
    for (let i = 0; i < 3; i++) {
      const nonce = await allocate("att_1")
      await keep(`0x${i}`, nonce, "att_1")
      await store.run(() => markMined("relayer", nonce, LATER))
    }
    expect(await store.run(() => lastMinedNonce("relayer", LATER))).toBe(7)
    expect(await store.run(() => lastMinedNonce("relayer", "2026-11-21T10:01:00.001Z"))).toBeNull()
    expect(await store.run(() => reopenNonces("relayer", 6, LATER))).toBe(2)
    const open = await store.run(() => openNonces("relayer"))
    expect(open.map(({ nonce, state }) => [nonce, state])).toEqual([
      [6, "STORED"],
      [7, "STORED"],
    ])
    expect(await store.run(() => reopenNonces("other", 0, LATER))).toBe(0)
  })
})

test("a nonce that was seen mined after a higher one is the last mined one while the higher one was seen too long ago", async () => {
  for (let i = 0; i < 3; i++) await allocate("att_1")
  await store.run(() => markMined("relayer", 7, AT))
  await store.run(() => markMined("relayer", 6, LATER))
  expect(await store.run(() => lastMinedNonce("relayer", AT))).toBe(7)
  expect(await store.run(() => lastMinedNonce("relayer", LATER))).toBe(6)
  expect(await store.run(() => lastMinedNonce("other", AT))).toBeNull()
})

test("burned gas adds up per code and day", async () => {
  await store.run(() => bookBurnedGas("code", "2026-11-21", 10n ** 20n))
  await store.run(() => bookBurnedGas("code", "2026-11-21", 1n))
  await store.run(() => bookBurnedGas("code", "2026-11-22", 5n))
  expect(await store.run(() => gasBurned("code", "2026-11-21"))).toBe(10n ** 20n + 1n)
  expect(await store.run(() => gasBurned("code", "2026-11-22"))).toBe(5n)
  expect(await store.run(() => gasBurned("other", "2026-11-21"))).toBe(0n)
})
