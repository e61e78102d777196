import { afterEach, beforeEach, expect, test } from "bun:test"
import type { ChangeReferences } from "../../../src/products/common/reserve-change.ts"
import { reserveChange } from "../../../src/products/common/reserve-change.ts"
import { type AnswerRecord, keepAnswerRecord } from "../../../src/store/sales/answer-records.ts"
import { dropHolds, spendHolds } from "../../../src/store/sales/holds.ts"
import { claimRequest } from "../../../src/store/sales/requests.ts"
import { GB_PAYEE } from "../../fixtures/gb.ts"
import { newRequest } from "../../store/money-rows.ts"
import { moneyStore } from "../../store/money-store.ts"

const PAYER = `0x${"11".repeat(20)}`
const OTHER = `0x${"22".repeat(20)}`
const PRODUCT = "gb.business.payment.authorize.v1"
const PRIOR: AnswerRecord = {
  requestId: "drq_prior",
  product: PRODUCT,
  owner: PAYER,
  organizationId: null,
  keyId: null,
  executionId: "exe_prior",
  coreDigest: "sha256:prior",
  subject: "09876543",
  nameKey: "",
  obligationKey: null,
  documentDigest: null,
  payeeFingerprint: GB_PAYEE,
  destinationFingerprint: null,
  decision: "CONDITIONAL",
  decidedAt: "2026-10-01T00:00:00.000Z",
  validUntil: "2026-10-01T01:00:00.000Z",
  supplierId: null,
  organizationSupplierId: null,
}

let store: Awaited<ReturnType<typeof moneyStore>>
beforeEach(async () => {
  store = await moneyStore()
  for (const id of ["drq_1", "drq_2", "drq_prior"]) await store.run(() => claimRequest(newRequest(id)))
})
afterEach(() => store.close())

const reserve = (storedRequestId: string, given: Partial<ChangeReferences> = {}, payer = PAYER, products = [PRODUCT]) =>
  store.run(() =>
    reserveChange({ payer, storedRequestId }, { prior: null, challenge: "call-0001", ...given }, products),
  )
const keep = (changes: Partial<AnswerRecord> = {}) => store.run(() => keepAnswerRecord({ ...PRIOR, ...changes }))
const FREE = { prior_authorization: null, challenge_reused: false }

test("one request holds a challenge; the next request is refused until the first is released", async () => {
  expect(await reserve("drq_1")).toEqual(FREE)
  expect(await reserve("drq_1")).toEqual(FREE)
  expect(await reserve("drq_2")).toMatchObject({ refused: "DECISION_IN_PROGRESS" })
  expect(await reserve("drq_2", {}, OTHER)).toEqual(FREE)
  await store.run(() => dropHolds("drq_1"))
  await store.run(() => dropHolds("drq_2"))
  expect(await reserve("drq_2")).toEqual(FREE)
})

test("a refused request holds nothing", async () => {
  await reserve("drq_1")
  await reserve("drq_2")
  await store.run(() => dropHolds("drq_1"))
  await store.run(() => spendHolds("drq_2"))
  expect(await reserve("drq_1")).toEqual(FREE)
})

test("a used challenge stays used, in any letter case and spacing", async () => {
  await reserve("drq_1")
  await store.run(() => spendHolds("drq_1"))
  for (const challenge of ["call-0001", "CALL-0001", " call-0001\u200b"]) {
    expect(await reserve("drq_2", { challenge })).toMatchObject({ challenge_reused: true })
  }
  expect(await reserve("drq_2", { challenge: "call-0002" })).toEqual(FREE)
})

test("a prior authorization counts only when these products issued it to the same payer and it permitted to continue", async () => {
  const prior = { prior: "exe_prior" }
  await keep()
  expect(await reserve("drq_1", prior)).toEqual({
    challenge_reused: false,
    prior_authorization: {
      execution_id: "exe_prior",
      product: PRODUCT,
      decision: "CONDITIONAL",
      subject: "09876543",
      payee_fingerprint: GB_PAYEE,
      decided_at: "2026-10-01T00:00:00.000Z",
    },
  })
  expect(await reserve("drq_2", { ...prior, challenge: "call-0002" }, OTHER)).toEqual(FREE)
  expect(await reserve("drq_1", prior, PAYER, ["us.payment.authorize.v1"])).toEqual(FREE)
  expect(await reserve("drq_1", { prior: "exe_other" })).toEqual(FREE)
})

test.each([{ decision: "REVIEW" }, { decision: "BLOCK" }, { payeeFingerprint: null }])(
  "%o is not a prior authorization",
  async (row) => {
    await keep(row)
    expect(await reserve("drq_1", { prior: "exe_prior" })).toEqual(FREE)
  },
)
