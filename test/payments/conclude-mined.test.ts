/** Two instances may find the same mined nonce at the same time, or one may learn more of its payment meanwhile. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { createLog } from "../../src/base/log.ts"
import { realMachine } from "../../src/base/machine.ts"
import { concludeMined } from "../../src/payments/maintain-relayer.ts"
import type { SettleDeps } from "../../src/payments/settle.ts"
import { settleAttempt } from "../../src/store/payments/attempt-moves.ts"
import { concludeSettlement } from "../../src/store/payments/attempt-watch.ts"
import { gasBurned } from "../../src/store/payments/burned-gas.ts"
import { newestMined } from "../../src/store/payments/mined-nonces.ts"
import { allocateNonce, openNonces, storeTransaction, transactionsOf } from "../../src/store/payments/relayer-ledger.ts"
import { newStore, type TestStore } from "../fixtures/new-store.ts"
import { storeWith } from "../fixtures/store-with.ts"
import { AT, LEASE, reserved } from "../store/money-rows.ts"

const RELAYER = "relayer"
const CODE = `0x${"c0".repeat(32)}`
const BLOCK = { number: 9n, hash: `0x${"b0".repeat(32)}`, timestamp: 1 }
const BURNED = 21_000n * 3n
const NOW = Date.parse(AT)
const machine = { ...realMachine, now: () => NOW }

let database: TestStore
beforeEach(async () => {
  database = await newStore()
  await database.store.run(function* () {
    yield* reserved("1", {}, { payerCodeHash: CODE })
    const nonce = yield* allocateNonce(RELAYER, "att_1", 5, AT)
    yield* storeTransaction(
      { txHash: "0x1", relayer: RELAYER, nonce, raw: "raw", maxFeeWei: "1", createdAt: AT },
      "att_1",
    )
  })
})
afterEach(() => database.close())

/** An instance whose node holds the transaction. */
function instance(store: SettleDeps["store"], status: "success" | "reverted"): SettleDeps {
  const receipt = {
    status,
    gasUsed: 21_000n,
    effectiveGasPrice: 3n,
    blockNumber: 9n,
    blockHash: BLOCK.hash,
    logs: [],
  }
  const primary = { query: async () => receipt, block: async () => BLOCK }
  const payments = { chain: { primary } } as unknown as SettleDeps["payments"]
  return { store, machine, payments, log: createLog("error", () => {}, machine.now), owner: "worker" }
}

const burned = () => database.store.read(() => gasBurned(CODE, AT.slice(0, 10)))

async function openNonce() {
  const [open] = await database.store.read(() => openNonces(RELAYER))
  const sent = await database.store.read(() => transactionsOf(RELAYER, 5))
  if (!open) throw new Error("no open nonce")
  return { open, sent }
}

test("the gas of a reverted transaction is booked once, whichever instance concludes its nonce", async () => {
  const stores = [database.store, await database.another()]
  const { open, sent } = await openNonce()
  await Promise.all(stores.map((store) => concludeMined(instance(store, "reverted"), open, sent, async () => null)))
  await concludeMined(instance(database.store, "reverted"), open, sent, async () => null)
  expect(await database.store.read(() => newestMined(RELAYER))).toEqual({ nonce: 5, updatedAt: AT })
  expect(await burned()).toBe(BURNED)
})

test("the bytes of a payment are erased when another instance sees its block as safe just before the nonce is mined", async () => {
  const transfer = { tx: "0x1", logIndex: 1, block: "9", blockHash: BLOCK.hash, finality: "INCLUDED" } as const
  await database.store.run(() => settleAttempt("att_1", LEASE.owner, { from: "RESERVED", at: AT, transfer }))
  const { open, sent } = await openNonce()
  const other = await database.another()
  let concluded = 0
  const slow = storeWith(database.store, {
    run: async (unit, hint) => {
      const settled = { id: "att_1", settledBlockHash: BLOCK.hash }
      if (await other.run(() => concludeSettlement(settled, "SAFE", AT))) concluded++
      return database.store.run(unit, hint)
    },
  })
  await concludeMined(instance(slow, "success"), open, sent, async () => null)
  expect(concluded).toBe(1)
  expect((await database.store.read(() => transactionsOf(RELAYER, 5))).map(({ raw }) => raw)).toEqual([""])
})
