import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { endAttempt, settleAttempt } from "../../../src/store/payments/attempt-moves.ts"
import { concludeSettlement, owePaidAttempt } from "../../../src/store/payments/attempt-watch.ts"
import { markMined, minedNonces, newestMined, reopenNonce } from "../../../src/store/payments/mined-nonces.ts"
import {
  allocateGap,
  allocateNonce,
  detachNonce,
  eraseBytes,
  knownNonces,
  nextLedgerNonce,
  openNonces,
  sendableOf,
  storeTransaction,
  transactionsOf,
} from "../../../src/store/payments/relayer-ledger.ts"
import { AT, LATER, LEASE, reserved } from "../money-rows.ts"
import { moneyStore } from "../money-store.ts"

let store: Awaited<ReturnType<typeof moneyStore>>
beforeEach(async () => {
  store = await moneyStore()
  await store.run(() => reserved("1"))
  await store.run(() => reserved("2"))
})
afterEach(() => store.close())

const allocate = (attemptId: string | null, mined = 5) =>
  store.run(() => allocateNonce("relayer", attemptId, mined, AT))
let fee = 0
const transaction = (txHash: string, nonce: number, createdAt = AT) => ({
  txHash,
  relayer: "relayer",
  nonce,
  raw: `raw-${txHash}`,
  maxFeeWei: String(++fee),
  createdAt,
})
const keep = (txHash: string, nonce: number, attemptId: string | null, at = AT) =>
  store.run(() => storeTransaction(transaction(txHash, nonce, at), attemptId))

describe("allocating a nonce", () => {
  test("continues from the chain's count, then from our own, for any number of parallel calls", async () => {
    const nonces = await Promise.all(Array.from({ length: 20 }, () => allocate(null)))
    expect(nonces.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => 5 + i))
  })

  test("never goes back when the chain's count does", async () => {
    expect([await allocate(null, 9), await allocate(null, 0), await allocate(null, 40)]).toEqual([9, 10, 40])
  })
})

describe("keeping a raw transaction", () => {
  test("succeeds only for the attempt that the nonce was allocated to", async () => {
    const nonce = await allocate("att_1")
    expect(await keep("0x1", nonce, "att_2")).toBe(false)
    expect(await keep("0x1", nonce, null)).toBe(false)
    expect(await keep("0x1", nonce, "att_1")).toBe(true)
    expect(await store.run(() => transactionsOf("relayer", nonce))).toHaveLength(1)
  })

  test("fails for a detached nonce, so that a slow worker and the filler cannot both send", async () => {
    const nonce = await allocate("att_1")
    expect(await store.run(() => detachNonce("relayer", nonce, AT))).toBe(true)
    expect(await keep("0x1", nonce, "att_1")).toBe(false)
    expect(await keep("0xf", nonce, null)).toBe(true)
  })

  test("prevents the nonce from being detached", async () => {
    const nonce = await allocate("att_1")
    await keep("0x1", nonce, "att_1")
    expect(await store.run(() => detachNonce("relayer", nonce, AT))).toBe(false)
  })

  test("fails for a mined nonce; stored ones are ordered by the highest fee, whatever their time", async () => {
    const nonce = await allocate("att_1")
    await keep("0x1", nonce, "att_1", LATER)
    await keep("0x2", nonce, "att_1", AT)
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
  test("leaves mined nonces from the chain's count up, and each is opened again separately", async () => {
    for (let i = 0; i < 3; i++) {
      const nonce = await allocate("att_1")
      if (i < 2) await keep(`0x${i}`, nonce, "att_1")
      await store.run(() => markMined("relayer", nonce, LATER))
    }
    expect(await store.run(() => newestMined("relayer"))).toEqual({ nonce: 7, updatedAt: LATER })
    expect(await store.run(() => newestMined("other"))).toBeNull()
    expect(await store.run(() => minedNonces("relayer", 6))).toEqual([{ nonce: 7 }, { nonce: 6 }])
    expect(await store.run(() => reopenNonce("relayer", 6, LATER))).toBe(true)
    expect(await store.run(() => reopenNonce("relayer", 6, LATER))).toBe(false)
    // No transaction was ever signed for this nonce: it is filled, not sent.
    expect(await store.run(() => reopenNonce("relayer", 7, LATER))).toBe(true)
    const open = await store.run(() => openNonces("relayer"))
    expect(open.map(({ nonce, state }) => [nonce, state])).toEqual([
      [6, "STORED"],
      [7, "ALLOCATED"],
    ])
  })
})

describe("the bytes of a transaction", () => {
  /** `0x1` was sent for a nonce, then `0x2` with a higher fee, which paid. */
  async function paid(finality: "INCLUDED" | "SAFE"): Promise<number> {
    const nonce = await allocate("att_1")
    await keep("0x1", nonce, "att_1")
    await keep("0x2", nonce, "att_1")
    const transfer = { tx: "0x2", logIndex: 1, block: "7", blockHash: "0xbb", finality }
    await store.run(() => settleAttempt("att_1", LEASE.owner, { from: "RESERVED", at: AT, transfer }))
    return nonce
  }
  const mine = (nonce: number) => store.run(() => markMined("relayer", nonce, LATER))
  const conclude = (finality: "SAFE" | "UNPAID_AFTER_REORG") =>
    store.run(() => concludeSettlement({ id: "att_1", settledBlockHash: "0xbb" }, finality, LATER))
  const bytes = async (nonce: number) =>
    (await store.run(() => transactionsOf("relayer", nonce))).map(({ txHash, raw }) => [txHash, raw])
  const KEPT = [
    ["0x2", "raw-0x2"],
    ["0x1", "raw-0x1"],
  ]

  test("that paid are erased when its block is safe; its hash and the others stay", async () => {
    const nonce = await paid("INCLUDED")
    await mine(nonce)
    await store.run(() => eraseBytes("att_1"))
    expect(await bytes(nonce)).toEqual(KEPT)
    await conclude("SAFE")
    expect(await bytes(nonce)).toEqual([
      ["0x2", ""],
      ["0x1", "raw-0x1"],
    ])
    expect((await store.run(() => sendableOf("relayer", nonce))).map(({ txHash }) => txHash)).toEqual(["0x1"])
  })

  test("stay while its nonce is open here, because an open nonce needs bytes to send", async () => {
    const nonce = await paid("SAFE")
    await store.run(() => eraseBytes("att_1"))
    expect(await bytes(nonce)).toEqual(KEPT)
    await mine(nonce)
    await store.run(() => eraseBytes("att_1"))
    expect((await bytes(nonce))[0]).toEqual(["0x2", ""])
  })

  test("are erased when a payment is settled by a safe block after its nonce was mined", async () => {
    const nonce = await allocate("att_1")
    await keep("0x2", nonce, "att_1")
    await mine(nonce)
    const transfer = { tx: "0x2", logIndex: 1, block: "7", blockHash: "0xbb", finality: "SAFE" } as const
    await store.run(() => settleAttempt("att_1", LEASE.owner, { from: "RESERVED", at: AT, transfer }))
    expect(await bytes(nonce)).toEqual([["0x2", ""]])
  })

  test("are erased when a decision is owed for a payment that was released and paid in a safe block", async () => {
    const nonce = await allocate("att_1")
    await keep("0x2", nonce, "att_1")
    const end = { from: "RESERVED", to: "RELEASED", at: AT, reason: "UNPAID", watched: true, usedBlock: null } as const
    await store.run(() => endAttempt("att_1", LEASE.owner, end))
    await mine(nonce)
    const transfer = { tx: "0x2", logIndex: 1, block: "7", blockHash: "0xbb" }
    expect(await store.run(() => owePaidAttempt({ id: "att_1", state: "RELEASED" }, transfer, LATER))).toBe(true)
    expect(await bytes(nonce)).toEqual([["0x2", ""]])
  })

  test("stay when a reorganization took the payment", async () => {
    const nonce = await paid("INCLUDED")
    await mine(nonce)
    await conclude("UNPAID_AFTER_REORG")
    expect(await bytes(nonce)).toEqual(KEPT)
  })

  test("of another sender, who paid, are not here; those of the attempt stay", async () => {
    const nonce = await allocate("att_1")
    await keep("0x1", nonce, "att_1")
    await mine(nonce)
    const transfer = { tx: "0xf", logIndex: 1, block: "7", blockHash: "0xbb", finality: "INCLUDED" } as const
    await store.run(() => settleAttempt("att_1", LEASE.owner, { from: "RESERVED", at: AT, transfer }))
    await conclude("SAFE")
    expect(await bytes(nonce)).toEqual([["0x1", "raw-0x1"]])
  })

  test("if all of a nonce are erased, it is filled when it opens again", async () => {
    const nonce = await allocate("att_1")
    await keep("0x2", nonce, "att_1")
    await mine(nonce)
    const transfer = { tx: "0x2", logIndex: 1, block: "7", blockHash: "0xbb", finality: "INCLUDED" } as const
    await store.run(() => settleAttempt("att_1", LEASE.owner, { from: "RESERVED", at: AT, transfer }))
    await conclude("SAFE")
    expect(await store.run(() => reopenNonce("relayer", nonce, LATER))).toBe(true)
    expect(await store.run(() => openNonces("relayer"))).toMatchObject([{ nonce, state: "ALLOCATED" }])
    expect(await store.run(() => detachNonce("relayer", nonce, LATER))).toBe(true)
    expect(await keep("0xf", nonce, null)).toBe(true)
    expect((await store.run(() => sendableOf("relayer", nonce))).map(({ txHash }) => txHash)).toEqual(["0xf"])
  })
})

describe("a gap of nonces", () => {
  test("has no row below an open nonce, and is allocated once", async () => {
    await allocate(null, 5)
    await allocate("att_1", 8)
    expect(await store.run(() => knownNonces("relayer", 4, 8))).toEqual([5])
    expect(await store.run(() => allocateGap("relayer", 6, LATER))).toBe(true)
    expect(await store.run(() => allocateGap("relayer", 6, LATER))).toBe(false)
    expect(await store.run(() => knownNonces("relayer", 4, 8))).toEqual([5, 6])
    expect(await store.run(() => nextLedgerNonce("relayer"))).toBe(9)
  })
})
