import { expect, test } from "bun:test"
import { digestOf } from "../../../src/core/digest.ts"
import type { Store } from "../../../src/store/engine/unit.ts"
import { addRestore } from "../../../src/store/restores.ts"
import {
  type Addition,
  addSuppressions,
  confirmSuppression,
  listSuppressions,
  recordSuppressionUse,
  revokeSuppression,
  SUPPRESSIONS_MAX,
  type SuppressionRow,
  suppressionGeneration,
  suppressionsInForce,
} from "../../../src/store/sources/suppressions.ts"
import { newStore } from "../../fixtures/new-store.ts"

const AT = "2026-11-20T12:00:00.000Z"
const LATER = "2026-12-20T12:00:00.000Z"
const END = "2027-01-20T12:00:00.000Z"

const NO_DETAILS = { detailsVersion: null, detailsDigest: null }

function row(suppressionId: string, changes: Partial<SuppressionRow> = {}): SuppressionRow {
  return {
    suppressionId,
    partyDigest: digestOf("party"),
    party: "{}",
    sourceId: "US_OFAC_SDN",
    entryId: "90001",
    entryHash: digestOf("entry"),
    author: "R. Reviewer",
    reason: "another owner, see file 7",
    createdAt: AT,
    expiresAt: END,
    ...NO_DETAILS,
    ...changes,
  }
}

async function opened() {
  const own = await newStore()
  return {
    ...own,
    /** The store of another process. */
    other: await own.another(),
    events: () => own.rows("SELECT suppression_id, kind, author FROM suppression_event ORDER BY id"),
  }
}

const revocation = { at: LATER, author: "S. Second", reason: "the file was another firm's" }
const inForce = async (store: Store, at: string) =>
  (await store.read(() => suppressionsInForce(at))).map(({ suppressionId }) => suppressionId)

test("a suppression is in force from its addition to its end, and every step adds a row of history", async () => {
  await using testStore = await opened()
  const { store } = testStore
  expect(await store.read(suppressionGeneration)).toBe("0 ")
  expect(await store.run(() => addSuppressions([row("sup_a")]))).toEqual([{ outcome: "ADDED" }])
  expect([await inForce(store, AT), await inForce(store, LATER), await inForce(store, END)]).toEqual([
    ["sup_a"],
    ["sup_a"],
    [],
  ])
  expect(await store.run(() => revokeSuppression("sup_a", revocation))).toBe("REVOKED")
  expect([await inForce(store, AT), await store.read(suppressionGeneration)]).toEqual([[], "2 "])
  expect(await store.read(listSuppressions)).toEqual([{ ...row("sup_a"), revoked: revocation, used: null }])
  expect(await testStore.events()).toEqual([
    { suppression_id: "sup_a", kind: "ADDED", author: "R. Reviewer" },
    { suppression_id: "sup_a", kind: "REVOKED", author: "S. Second" },
  ])
})

test("each delivered answer that it changed is counted, with the time of the last one", async () => {
  await using testStore = await opened()
  const { store } = testStore
  for (const id of ["sup_a", "sup_b"]) await store.run(() => addSuppressions([row(id, { partyDigest: digestOf(id) })]))
  await store.run(() => recordSuppressionUse(["sup_a", "sup_b"], { requestId: "drq_1", at: AT }))
  await store.run(() => recordSuppressionUse(["sup_a"], { requestId: "drq_2", at: LATER }))
  await store.run(() => recordSuppressionUse([], { requestId: "drq_3", at: END }))
  expect((await store.read(listSuppressions)).map(({ used }) => used)).toEqual([
    { lastAt: LATER, times: 2, lastRequestId: "drq_2" },
    { lastAt: AT, times: 1, lastRequestId: "drq_1" },
  ])
})

test("the same suppression exists once; after its end or its revocation it can be added again", async () => {
  await using testStore = await opened()
  const { store } = testStore
  await store.run(() => addSuppressions([row("sup_a")]))
  const generation = await store.read(suppressionGeneration)
  expect(await store.run(() => addSuppressions([row("sup_b", { createdAt: LATER })]))).toEqual([
    { outcome: "STANDS_ALREADY", suppressionId: "sup_a" },
  ])
  expect(await store.read(suppressionGeneration)).toBe(generation)
  expect(
    await store.run(() => addSuppressions([row("sup_c", { createdAt: END, expiresAt: "2027-06-01T00:00:00.000Z" })])),
  ).toEqual([{ outcome: "ADDED" }])
  for (const id of ["sup_a", "sup_c"]) await store.run(() => revokeSuppression(id, revocation))
  expect(await store.run(() => addSuppressions([row("sup_d")]))).toEqual([{ outcome: "ADDED" }])
})

test("a judgement that a restore paused is not added again, and the result says that it is paused", async () => {
  await using testStore = await opened()
  const { store } = testStore
  await store.run(() => addSuppressions([row("sup_a")]))
  const restored = { backup_at: AT, restored_at: LATER, newest_declared_at: null }
  await store.run(() => addRestore(restored))
  const again = [row("sup_b", { createdAt: LATER }), row("sup_c", { createdAt: LATER, entryId: "90002" })]
  expect(await store.run(() => addSuppressions(again))).toEqual([
    { outcome: "PAUSED", suppressionId: "sup_a" },
    { outcome: "ADDED" },
  ])
  await store.run(() => confirmSuppression("sup_a", { ...revocation, at: LATER }))
  expect(await store.run(() => addSuppressions(again))).toEqual([
    { outcome: "STANDS_ALREADY", suppressionId: "sup_a" },
    { outcome: "STANDS_ALREADY", suppressionId: "sup_c" },
  ])
})

test.each<readonly [what: string, changes: Partial<SuppressionRow>]>([
  ["party", { partyDigest: digestOf("other party") }],
  ["source", { sourceId: "US_TRADE_CSL" }],
  ["entry", { entryId: "90002" }],
  ["state of the entry", { entryHash: digestOf("changed entry") }],
])("another %s makes another suppression", async (_what, changes) => {
  await using testStore = await opened()
  await testStore.store.run(() => addSuppressions([row("sup_a")]))
  expect(await testStore.store.run(() => addSuppressions([row("sup_b", changes)]))).toEqual([{ outcome: "ADDED" }])
})

test("two processes that add the same suppression at once add one", async () => {
  await using testStore = await opened()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      (at % 2 ? testStore.store : testStore.other).run(() => addSuppressions([row(`sup_${at}`)])),
    ),
  )
  const outcomes = answers.flatMap((one) => one as readonly Addition[])
  expect(outcomes.filter(({ outcome }) => outcome === "ADDED")).toHaveLength(1)
  expect(new Set(outcomes.flatMap((one) => (one.outcome === "STANDS_ALREADY" ? [one.suppressionId] : []))).size).toBe(1)
  expect(await inForce(testStore.store, AT)).toHaveLength(1)
})

test("two processes that revoke a suppression at once revoke it once; an unknown one is reported", async () => {
  await using testStore = await opened()
  await testStore.store.run(() => addSuppressions([row("sup_a")]))
  const answers = await Promise.all(
    [testStore.store, testStore.other].map((store) => store.run(() => revokeSuppression("sup_a", revocation))),
  )
  expect(answers.sort()).toEqual(["REVOKED", "REVOKED_ALREADY"])
  expect(await testStore.store.run(() => revokeSuppression("sup_z", revocation))).toBe("UNKNOWN")
})

test("several are added all or not at all, and one that exists already is not added again", async () => {
  await using testStore = await opened()
  const { store } = testStore
  const fill = "INSERT INTO suppression VALUES (?1, ?1, '{}', 'US_OFAC_SDN', '1', 'h', 'a', 'r', ?2, ?3, NULL, NULL)"
  for (let at = 0; at < SUPPRESSIONS_MAX - 2; at++) await testStore.write(fill, `sup_${at}`, AT, LATER)
  const other = (id: string) => row(id, { entryId: id })
  expect(await store.run(() => addSuppressions(["sup_a", "sup_b", "sup_c"].map(other)))).toBe("TOO_MANY")
  expect(await testStore.events()).toEqual([])
  expect(await store.run(() => addSuppressions([other("sup_a"), other("sup_b")]))).toEqual([
    { outcome: "ADDED" },
    { outcome: "ADDED" },
  ])
  expect(await store.run(() => addSuppressions([other("sup_b")]))).toEqual([
    { outcome: "STANDS_ALREADY", suppressionId: "sup_b" },
  ])
  for (const id of ["sup_a", "sup_b"]) await store.run(() => revokeSuppression(id, revocation))
  const twice = [row("sup_x"), row("sup_y")]
  expect(await store.run(() => addSuppressions(twice))).toEqual([
    { outcome: "ADDED" },
    { outcome: "STANDS_ALREADY", suppressionId: "sup_x" },
  ])
})

test("the number of suppressions in force is limited, and ended ones do not count", async () => {
  await using testStore = await opened()
  const fill = "INSERT INTO suppression VALUES (?1, ?1, '{}', 'US_OFAC_SDN', '1', 'h', 'a', 'r', ?2, ?3, NULL, NULL)"
  for (let at = 0; at < SUPPRESSIONS_MAX; at++) await testStore.write(fill, `sup_${at}`, AT, LATER)
  expect(await testStore.store.run(() => addSuppressions([row("sup_a")]))).toEqual("TOO_MANY")
  expect(await testStore.store.run(() => addSuppressions([row("sup_a", { createdAt: LATER })]))).toEqual([
    { outcome: "ADDED" },
  ])
})

test("a change is seen whose event got a lower number than one before it", async () => {
  await using testStore = await opened()
  const { store } = testStore
  const fall = () =>
    testStore.write(
      "UPDATE suppression_event SET id = (SELECT min(id) FROM suppression_event) - 1 WHERE id = (SELECT max(id) FROM suppression_event)",
    )
  const seen = [await store.read(suppressionGeneration)]
  for (const n of [1, 2, 3]) {
    await store.run(() => addSuppressions([row(`sup_${n}`, { entryId: `${n}` })]))
    await fall()
    seen.push(await store.read(suppressionGeneration))
  }
  await store.run(() => revokeSuppression("sup_1", revocation))
  await fall()
  seen.push(await store.read(suppressionGeneration))
  expect(new Set(seen).size).toBe(5)
})
