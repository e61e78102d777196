/** Keys of the longest texts that a request allows are stored, compared and found on both engines. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { obligationKey } from "../../../src/checks/obligation.ts"
import { legalNameKey } from "../../../src/core/legal-name-key.ts"
import { answersOfObligation, keepAnswerRecord } from "../../../src/store/sales/answer-records.ts"
import { keepRecord, recordsOfObligation } from "../../../src/store/sales/authorization-records.ts"
import { currentAnswers, currentDecisions } from "../../../src/store/sales/current-authorizations.ts"
import { type Hold, holdConflict, spendHolds, spentBy, takeHolds } from "../../../src/store/sales/holds.ts"
import { grantRedelivery, openRedelivery } from "../../../src/store/sales/redeliveries.ts"
import { claimRequest } from "../../../src/store/sales/requests.ts"
import { longText } from "../../fixtures/long-texts.ts"
import { newDatabaseOn, type TestDatabase } from "../../fixtures/test-database.ts"
import { onEngines } from "../engine/on-engines.ts"
import { newRequest } from "../money-rows.ts"

const KEY = obligationKey(longText(512))
const OTHER = obligationKey(longText(512, 1))
const NAME = legalNameKey(longText(350))
const [BEFORE, NOW, UNTIL] = ["2026-11-21T10:00:00.000Z", "2026-11-21T11:00:00.000Z", "2026-11-21T12:00:00.000Z"]
const ORGANIZATION = "o".repeat(160)

const DIGESTS = { documentDigest: "d", payeeFingerprint: "p", destinationFingerprint: "f" }
const answer = (requestId: string, obligationKey: string) => ({
  ...{ ...DIGESTS, requestId, obligationKey, product: "p", owner: "0x1", organizationId: null, keyId: null },
  ...{ executionId: `exe-${requestId}`, coreDigest: `core-${requestId}`, subject: "lei:1", nameKey: NAME },
  ...{ decision: "APPROVE", decidedAt: BEFORE, validUntil: UNTIL, supplierId: "s", organizationSupplierId: null },
})
const decision = (requestId: string, obligationKey: string) => ({
  ...{ ...DIGESTS, requestId, obligationKey, organizationId: ORGANIZATION, supplierKey: "lei:1" },
  ...{ supplierEntityId: "e", supplierNameKey: NAME, instructionDigest: "i", mandateKeyId: "k", decision: "ALLOW" },
  ...{ decisionId: `dec-${requestId}`, responseDigest: `response-${requestId}`, supplierId: "s" },
  ...{ decidedAt: BEFORE, validUntil: UNTIL },
})

test("an index of PostgreSQL has no room for the longest key of an obligation", () => {
  expect(Buffer.byteLength(KEY)).toBeGreaterThan(2_704)
})

onEngines({ SQLite: "sqlite", PostgreSQL: "postgres" } as const)("a long key", (engine) => {
  let database: TestDatabase
  let store: Awaited<ReturnType<TestDatabase["open"]>>["store"]
  beforeEach(async () => {
    database = await newDatabaseOn(engine)
    store = (await database.open()).store
    for (const id of ["drq_1", "drq_2"]) await store.run(() => claimRequest(newRequest(id)))
  })
  afterEach(async () => {
    await store.close()
    await database.close()
  })

  test("of an obligation finds its own records, and they have all of it", async () => {
    await store.run(function* () {
      for (const [id, key] of [["drq_1", KEY] as const, ["drq_2", OTHER] as const]) {
        yield* keepAnswerRecord(answer(id, key))
        yield* keepRecord(decision(id, key))
      }
    })
    const found = await store.read(function* () {
      return [
        yield* answersOfObligation("0x1", "p", ["s"], KEY),
        yield* recordsOfObligation(ORGANIZATION, ["s"], KEY),
        yield* currentAnswers({ owner: "0x1", product: "p", obligationKey: KEY }, NOW, () => true),
        yield* currentDecisions(ORGANIZATION, KEY, NOW, () => true),
      ] as const
    })
    expect(found.map((rows) => rows.map(({ requestId }) => requestId))).toEqual(Array(4).fill(["drq_1"]))
    expect([...found[0]]).toEqual([answer("drq_1", KEY)])
    expect([...found[1]]).toEqual([decision("drq_1", KEY)])
  })

  test("of an obligation, a challenge or a supplier is held once", async () => {
    const holds: readonly Hold[] = [
      { kind: "OBLIGATION", value: `lei:1\n${KEY}` },
      { kind: "CHALLENGE", value: KEY },
      { kind: "SUPPLIER", value: `name\n${NAME}`, destination: `sha256:${"0".repeat(64)}` },
    ]
    expect(await store.run(() => takeHolds(ORGANIZATION, "drq_1", holds))).toBeNull()
    for (const hold of holds) {
      const others = hold.kind === "SUPPLIER" ? { ...hold, destination: "another" } : hold
      expect(await store.read(() => holdConflict(ORGANIZATION, others, "drq_2"))).toEqual({
        kind: hold.kind,
        spent: false,
      })
      expect(await store.read(() => holdConflict(ORGANIZATION, hold, "drq_1"))).toBeNull()
    }
    expect(await store.run(() => takeHolds(ORGANIZATION, "drq_2", holds))).not.toBeNull()
    expect(await store.run(() => takeHolds(ORGANIZATION, "drq_2", [{ kind: "CHALLENGE", value: OTHER }]))).toBeNull()
    await store.run(() => spendHolds("drq_1"))
    expect(await store.read(() => spentBy(ORGANIZATION, { kind: "CHALLENGE", value: KEY }))).toBe("drq_1")
  })

  test("of a late decision opens its replacement", async () => {
    const [scope, subject] = [`${ORGANIZATION}\n${"a".repeat(48)}`, `lei:1\n${KEY}`]
    await store.run(() => grantRedelivery({ requestId: "drq_1", scope, subject, until: UNTIL }))
    expect(await store.read(() => openRedelivery(scope, subject, NOW))).toBe("drq_1")
    expect(await store.read(() => openRedelivery(scope, `lei:1\n${OTHER}`, NOW))).toBeNull()
  })
})
