import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { hash } from "node:crypto"
import { sequencePending } from "../../../src/store/log/sequenced-log.ts"
import { appendStatement, leafData, readTreeHead } from "../../../src/store/log/transparency-log.ts"
import { decisionCounts } from "../../../src/store/sales/decision-counts.ts"
import {
  type ComputedDelivery,
  dropComputed,
  findDelivery,
  findDeliveryByAnyId,
  findKeptAnswer,
  finishDelivery,
  keepComputed,
} from "../../../src/store/sales/deliveries.ts"
import { AT, reserved } from "../money-rows.ts"
import { moneyStore } from "../money-store.ts"

let store: Awaited<ReturnType<typeof moneyStore>>
beforeEach(async () => {
  store = await moneyStore()
  await store.run(() => reserved("1"))
})
afterEach(() => store.close())

const CAPSULE_DIGEST = `sha256:${"c".repeat(64)}`
const computed = (answerId = "dec_1"): ComputedDelivery => ({
  requestId: "drq_1",
  purchaseId: "att_1",
  answerId,
  deliveryReference: "dlv_1",
  coreJson: "{}",
  factsJson: "{}",
  capsuleJson: "{}",
  capsuleDigest: CAPSULE_DIGEST,
  keyId: "k",
  validUntil: AT,
  computedAt: AT,
  attachmentId: null,
  attachmentJson: null,
})
const keep = (answerId?: string) => store.run(() => keepComputed(computed(answerId), ["snap-1", "snap-2"]))
const FINISHED = {
  product: "p",
  decision: "ALLOW",
  holdsCapsule: false,
  responseDigest: "sha256:r",
  paymentResponse: "p",
  arrival: "IN_TIME",
} as const
const finish = (body: string) => store.run(() => finishDelivery("drq_1", { ...FINISHED, body }, AT))
const pins = () => store.count("delivery_snapshot")

describe("an answer", () => {
  test("is stored once before settlement, with the snapshots it depends on", async () => {
    expect([await keep(), await keep("dec_2")]).toEqual([true, false])
    expect(await store.run(() => findDelivery("drq_1"))).toMatchObject({ answerId: "dec_1", body: null })
    expect(await pins()).toBe(2)
  })

  test("without a payment is removed with its snapshots, so that another can be computed", async () => {
    await keep()
    await store.run(() => dropComputed("drq_1"))
    expect([await store.run(() => findDelivery("drq_1")), await pins()]).toEqual([null, 0])
    expect(await keep("dec_2")).toBe(true)
  })

  test("is finished once; its bytes are never overwritten or removed", async () => {
    await keep()
    expect([await finish("first"), await finish("second")]).toEqual([true, false])
    await store.run(() => dropComputed("drq_1"))
    expect(await store.run(() => findDelivery("drq_1"))).toMatchObject({ body: "first", arrival: "IN_TIME" })
  })

  test("has its core, and a capsule that the body contains, in the body alone", async () => {
    await keep()
    await store.run(() => finishDelivery("drq_1", { ...FINISHED, body: "first", holdsCapsule: true }, AT))
    expect(await store.run(() => findDelivery("drq_1"))).toMatchObject({
      coreJson: "",
      capsuleJson: "",
      factsJson: "{}",
    })
  })

  test("keeps a capsule that the body does not contain", async () => {
    await keep()
    await finish("first")
    expect(await store.run(() => findDelivery("drq_1"))).toMatchObject({ coreJson: "", capsuleJson: "{}" })
  })

  test("is counted once under its product and decision, when it is finished", async () => {
    await keep()
    expect(await store.run(decisionCounts)).toEqual([])
    await finish("first")
    await finish("second")
    expect(await store.run(decisionCounts)).toEqual([{ product: "p", decision: "ALLOW", answers: 1 }])
  })

  test("has one leaf in the log for its capsule", async () => {
    await store.run(() => appendStatement("ARTIFACT", `sha256:${"a".repeat(64)}`))
    await keep()
    expect((await store.run(readTreeHead)).size).toBe(1)
    await finish("first")
    await finish("second")
    await sequencePending(store.store)
    expect((await store.run(readTreeHead)).size).toBe(2)
    expect(await store.run(() => findDelivery("drq_1"))).toMatchObject({ logIndex: 1 })
    const mark = hash("sha256", "SVC-CAPSULE-LEAF-V1\n", "hex")
    const mapRoot = "00".repeat(32)
    expect(Buffer.from((await store.run(() => leafData(1))) ?? []).toString("hex")).toBe(
      mark + CAPSULE_DIGEST.slice("sha256:".length) + mapRoot,
    )
  })

  test("is found by decision, delivery and request id", async () => {
    await keep()
    for (const id of ["dec_1", "dlv_1", "drq_1"]) {
      expect(await store.run(() => findDeliveryByAnyId(id))).toMatchObject({ requestId: "drq_1" })
    }
    expect(await store.run(() => findDeliveryByAnyId("dec_2"))).toBeNull()
  })

  test("is returned by its execution id only after it was delivered", async () => {
    const found = () => store.run(() => findKeptAnswer("dec_1"))
    await keep()
    expect(await found()).toBeNull()
    await finish("first")
    expect(await found()).toEqual({ body: "first", capsuleJson: "{}", product: "p" })
    expect(await store.run(() => findKeptAnswer("drq_1"))).toBeNull()
  })
})
