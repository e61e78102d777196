import { expect } from "bun:test"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { DAY, formatInstant } from "../../../src/core/time.ts"
import { bookOf, openSuppressions, recordDigestOf } from "../../../src/sources/boards/suppression-book.ts"
import { screenedPartyDigest } from "../../../src/sources/screening/suppress.ts"
import { addSuppressions, revokeSuppression, type SuppressionRow } from "../../../src/store/sources/suppressions.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { importBench, START } from "../import-bench.ts"

const test = slowTests(import.meta.path)

const PARTY = { name: "Karvolan Maritime Tradin", type: "org", identifiers: [], countries: [] } as const
const DIGEST = screenedPartyDigest(PARTY) ?? ""

function row(suppressionId: string, changes: Partial<SuppressionRow> = {}): SuppressionRow {
  return {
    suppressionId,
    partyDigest: DIGEST,
    party: canonicalize(PARTY),
    sourceId: "US_OFAC_SDN",
    entryId: "90001",
    entryHash: "sha256:entry",
    author: "R. Reviewer",
    reason: "another owner",
    createdAt: formatInstant(START),
    expiresAt: formatInstant(START + DAY),
    detailsVersion: null,
    detailsDigest: null,
    ...changes,
  }
}

async function until(done: () => boolean): Promise<void> {
  const end = Date.now() + 8000
  while (!done() && Date.now() < end) await Bun.sleep(20)
  expect(done()).toBe(true)
}

test("changes by another process are used within about a second, without a statement per request", async () => {
  await using bench = importBench()
  await bench.store.run(() => addSuppressions([row("sup_a")]))
  const { suppressions, worker } = await openSuppressions(bench)
  const ids = () => (suppressions().get(DIGEST) ?? []).map(({ suppressionId }) => suppressionId)
  expect(ids()).toEqual(["sup_a"])
  worker.start()
  try {
    await bench.store.run(() => addSuppressions([row("sup_b", { entryId: "90002" })]))
    const added = Date.now()
    await until(() => ids().length === 2)
    expect(Date.now() - added).toBeLessThan(3000)
    await bench.store.run(() => revokeSuppression("sup_a", { at: formatInstant(START), author: "S", reason: "wrong" }))
    await until(() => ids().length === 1)
    expect(ids()).toEqual(["sup_b"])
  } finally {
    await worker.stop()
  }
  const same = suppressions()
  expect(suppressions()).toBe(same)
  expect(JSON.stringify(bench.logged)).not.toContain("Karvolan")
})

test("the party is read again, so a digest of an older folding neither loses nor keeps a suppression", () => {
  expect([...bookOf([row("sup_a", { partyDigest: "sha256:of-an-older-release" })]).keys()]).toEqual([DIGEST])
  const unread = canonicalize({ ...PARTY, name: "K\u0430rvolan" })
  expect(bookOf([row("sup_a", { party: unread })]).size).toBe(0)
})

test("the record's digest changes with each of its members", () => {
  const digests = [
    row("sup_a"),
    row("sup_b"),
    row("sup_a", { author: "S. Second" }),
    row("sup_a", { reason: "another reason" }),
    row("sup_a", { expiresAt: formatInstant(START + 2 * DAY) }),
    row("sup_a", { entryHash: "sha256:other" }),
  ].map(recordDigestOf)
  expect(new Set(digests).size).toBe(digests.length)
})
