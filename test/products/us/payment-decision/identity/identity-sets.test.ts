/** Naming a supplier otherwise than it is recorded is never answered more permissively (rulings 89), over whole histories. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { join } from "node:path"
import { IDENTIFIER_FORMS, type IdentifierKind } from "../../../../../src/checks/us/supplier-identifiers.ts"
import { chance } from "../../../../fixtures/chance.ts"
import { changingSources } from "../../../../fixtures/changing-sources.ts"
import { destination } from "../../../../fixtures/decision.ts"
import { leiFrom } from "../../../../fixtures/lei.ts"
import { atLength, howMany, SEED, sample } from "../../../../fixtures/long.ts"
import { newDatabase, TEST_ENGINE } from "../../../../fixtures/new-store.ts"
import { slowTests } from "../../../../fixtures/slow-tests.ts"
import { listedParty } from "../../../../fixtures/test-server.ts"
import { type Answered, type IdentityBook, openIdentityBook, type SupplierPayment } from "./identity-book.ts"

const test = slowTests(import.meta.path)

const SCHEMES = Object.keys(IDENTIFIER_FORMS) as IdentifierKind[]
const ANCHORS = SCHEMES.filter((scheme) => scheme !== "ein")
const NAMES = [
  "",
  "Alder Bridge Tools LLC",
  "Quarry Seven Pumps Inc",
  "Violet Marsh Foods Corp",
  "Zenith Orbit Cranes Ltd",
]
const LABELS = ["1", "2", "1a", "1b", "2a", "2b", "fresh"]
const [X, Y, Z] = ["aa", "bb", "cc"].map((byte) => `0x${byte.repeat(20)}`) as [string, string, string]

/** A valid value of a scheme; another one for each label. */
function idOf(scheme: IdentifierKind, label: string): string {
  const n = LABELS.indexOf(label) + 1
  if (scheme === "lei") return leiFrom(`529900TESTSUPPLIE${n}`)
  if (scheme === "uei") return `XAMPLE22222${n}`
  if (scheme === "cage") return `7AAA${n}`
  return scheme === "cik" ? `${1000 + n}` : `12345678${n}`
}

const sources = changingSources()

/** Only LEIs are registered: so each of them is sure, and the others are sure only in a new set or with an authorized destination. */
function resetSources(): void {
  sources.reset()
  for (const label of LABELS) sources.register(idOf("lei", label), NAMES[Number(label[0])] ?? NAMES[4] ?? "")
}

/** Changes what the sources say of one identifier of a supplier, or of its name, or nothing. */
function changeSources(keys: readonly string[], name: string | undefined, next: () => number): void {
  const [scheme = "", value = ""] = (keys[Math.floor(next() * keys.length)] ?? "").split(":")
  const change = next()
  if (change < 0.4) return
  if (change > 0.95 && name !== undefined) {
    sources.list(listedParty({ names: [{ text: name.toUpperCase(), kind: "primary" }] }))
    return
  }
  if (scheme === "lei" && change < 0.6) sources.register(value, NAMES[4] ?? "")
  else if (scheme === "lei" && change < 0.8) sources.strike(value)
  else {
    const measure = change < 0.9 ? "block" : "hold"
    sources.list(listedParty({ measure, identifiers: [{ scheme: scheme === "ein" ? "tax" : scheme, value }] }))
  }
}

let book: IdentityBook
beforeAll(async () => {
  book = await openIdentityBook(sources.registers, null, sources.board)
})
afterAll(() => book.close())

const RANK = { ALLOW: 0, ALLOW_WITH_CONDITIONS: 1, UNDETERMINED: 2, HOLD: 2, BLOCK: 3 } as const

/** How strict an answer is: 0 releases, 3 is refused. */
const strictness = (answer: Answered) => ("code" in answer ? 3 : RANK[answer.core.decision])

interface Row {
  readonly key: string
  readonly root_id: string
}

/** A recorded supplier with all its identifiers, a name and an entity id. Null if nothing is recorded. */
async function recorded(next: () => number) {
  const rows = await book.database.rows<Row>(
    "SELECT i.key, s.root_id FROM supplier_identifier i JOIN supplier s USING (owner_id, supplier_id) WHERE s.owner_id LIKE 'org%' ORDER BY i.key",
  )
  const roots = [...new Set(rows.map(({ root_id }) => root_id))]
  const root = roots[Math.floor(next() * roots.length)]
  if (root === undefined) return null
  const text = async (sql: string) => (await book.database.row<{ value: string }>(sql, root))?.value
  const nameKey = await text(
    "SELECT name_key AS value FROM supplier_name WHERE supplier_id = ?1 AND owner_id LIKE 'org%' ORDER BY 1",
  )
  return {
    keys: rows.filter(({ root_id }) => root_id === root).map(({ key }) => key),
    name: NAMES.find((name) => nameKey !== undefined && name.toLowerCase().replaceAll(/[^a-z]/g, "") === nameKey),
    entity: (await text("SELECT entity_id AS value FROM supplier_entity WHERE supplier_id = ?1 ORDER BY 1")) ?? "new",
    last: await text(`SELECT destination_fingerprint AS value FROM (
      SELECT destination_fingerprint, decided_at AS at FROM authorization_record WHERE supplier_id = ?1 AND decision = 'ALLOW'
      UNION ALL SELECT destination_fingerprint, changed_at FROM spent_change c JOIN answer_record USING (execution_id) WHERE c.supplier_id = ?1
      ) AS changes ORDER BY at DESC`),
  }
}

const identifiersOf = (keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key.slice(0, key.indexOf(":")), key.slice(key.indexOf(":") + 1)]))

describe("histories of one organization", () => {
  // A history takes hundreds of round trips to a server, so the same ones run there each time. A file tries others at each commit.
  const [all, first] = TEST_ENGINE === "postgres" ? [1_000, 1] : [10_000, SEED]
  const HISTORIES = atLength(all / 20, all)
  test(`naming a recorded supplier otherwise is never laxer, ${howMany(all, HISTORIES)} histories`, async () => {
    let compared = 0
    const released = { base: 0, other: 0 }
    let stopped = 0
    for (let seed = first; seed < first + HISTORIES; seed++) {
      const next = chance(seed)
      const one = <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)] as T
      const tolerance = one(["LOW", "MEDIUM", "HIGH"] as const)
      await book.begin(tolerance)
      resetSources()
      for (let step = 0; step < 6; step++) {
        const from = one([1, 2])
        const label = () => `${from}${next() < 0.1 ? one(["a", "b"]) : ""}`
        const given = SCHEMES.filter(() => next() < 0.5)
        const schemes = given.some((scheme) => scheme !== "ein") ? given : [...given, "uei" as const]
        const payment: SupplierPayment = {
          identifiers: Object.fromEntries(schemes.map((scheme) => [scheme, idOf(scheme, label())])),
          name: next() < 0.2 ? undefined : NAMES[next() < 0.1 ? one([1, 2, 3]) : from],
          entity: `e${next() < 0.1 ? one([1, 2, 3]) : from}${one(["", "x"])}`,
          to: one([X, Y, Z]),
        }
        await book.deliver(payment, next() < 0.4)
      }
      const supplier = await recorded(next)
      if (!supplier) continue
      const to = one([X, Y, Z])
      const base = { identifiers: identifiersOf(supplier.keys), name: supplier.name, entity: supplier.entity, to }
      const kept = supplier.keys.filter(() => next() < 0.5)
      // At least one identifier of the supplier stays. Otherwise another supplier is named.
      if (!kept.some((key) => !key.startsWith("ein:"))) continue
      const free = ANCHORS.filter((scheme) => !kept.some((key) => key.startsWith(`${scheme}:`)))
      const added =
        next() < 0.4 && free.length > 0
          ? [one(free)].map((scheme) => [scheme, idOf(scheme, one(["1", "2", "fresh"]))])
          : []
      const other: SupplierPayment = {
        identifiers: { ...identifiersOf(kept), ...Object.fromEntries(added) },
        name: one([base.name, undefined, NAMES[4], NAMES[2]]),
        entity: one([base.entity, "another", "e1", "e2"]),
        to,
      }
      changeSources(supplier.keys, supplier.name, next)
      const [full, changed] = [await book.decide(base), await book.decide(other)]
      // Without a name, and with no register that gives one, there is nothing to screen.
      if ("code" in full && full.code === "SOURCE_UNAVAILABLE") continue
      compared++
      if (strictness(full) === 0) released.base++
      if (strictness(changed) === 0) released.other++
      if ("core" in full && full.core.reason_codes.some((code) => OF_SOURCES.includes(code))) stopped++
      const show = JSON.stringify({ seed, tolerance, base, other, full: brief(full), changed: brief(changed) })
      // The register's current name may be given instead of a recorded one that the register contradicts.
      const isMisnamed = "core" in full && full.core.reason_codes.includes("SUPPLIER_NAME_MISMATCH")
      if (!isMisnamed || other.name === base.name)
        expect(strictness(changed), show).toBeGreaterThanOrEqual(strictness(full))
      if (supplier.last !== undefined && supplier.last !== fingerprintOf(to))
        expect(strictness(changed), show).toBeGreaterThanOrEqual(2)
    }
    expect(compared).toBeGreaterThan(HISTORIES / 2)
    // Otherwise nothing was compared with a release.
    expect(released.base).toBeGreaterThan(HISTORIES / 50)
    expect(released.other).toBeGreaterThan(HISTORIES / 200)
    // Otherwise the sources changed nothing.
    expect(stopped).toBeGreaterThan(HISTORIES / 20)
  }, 1_200_000)
})

/** Reasons that only a change of the sources gives. */
const OF_SOURCES = [
  "SUPPLIER_NAME_MISMATCH",
  "REGISTRATION_NOT_FOUND",
  "RESTRICTED_PARTY_MATCH",
  "RESTRICTED_PARTY_POSSIBLE_MATCH",
]

const brief = (answer: Answered) =>
  "code" in answer ? answer.code : [answer.core.decision, ...answer.core.reason_codes]
const fingerprintOf = (to: string) => destination(to).fingerprint

test("two processes that link two suppliers of one name, or of one identifier, never release two destinations", async () => {
  const database = await newDatabase()
  const suppliers = 60
  const start = (name: string) =>
    Bun.spawn([process.execPath, join(import.meta.dir, "racing-payer.ts"), database.address, name, String(suppliers)], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
    })
  const opened = async (name: string) => {
    const process = start(name)
    const lines = linesOf(process.stdout)
    expect((await lines.next()).value).toBe("ready")
    return { process, lines }
  }
  // One after the other: the first enters the buyer.
  const first = await opened("one")
  const second = await opened("two")
  for (const { process } of [first, second]) {
    process.stdin.write("go\n")
    process.stdin.flush()
  }
  const answers = await Promise.all([first, second].map(async ({ lines }) => Array.fromAsync(lines)))
  await Promise.all([first, second].map(({ process }) => process.exited))
  await database.close()
  const pairs = Array.from({ length: suppliers }, (_, n) => [answers[0]?.[n], answers[1]?.[n]])
  expect(pairs.filter((pair) => pair.every((decision) => decision === "ALLOW"))).toEqual([])
  // One of each pair is released, and the other is held, or refused while the first one runs.
  expect(pairs.filter((pair) => pair.includes("ALLOW")).length).toBeGreaterThan(suppliers / 2)
  const others = new Set(pairs.flat().filter((decision) => decision !== "ALLOW"))
  expect(
    [...others].sort().every((answer) => LOST.includes(String(answer))),
    [...others].join(),
  ).toBe(true)
}, 120_000)

/** What the slower of two is answered. */
const LOST = ["HOLD", "DECISION_IN_PROGRESS", "IDENTITY_COLLISION"]

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    const lines = text.split("\n")
    text = lines.pop() ?? ""
    yield* lines
  }
}

describe("every subset and superset of a supplier's identifiers, after one payment to X at HIGH:", () => {
  const all = Object.fromEntries(SCHEMES.map((scheme) => [scheme, idOf(scheme, "1")]))
  const subsets = Array.from({ length: 2 ** SCHEMES.length }, (_, bits) => SCHEMES.filter((_, at) => bits & (1 << at)))
  const named = subsets.filter((schemes) => schemes.some((scheme) => scheme !== "ein"))
  const pick = (schemes: readonly string[]) => Object.fromEntries(schemes.map((scheme) => [scheme, all[scheme] ?? ""]))
  const payment = (schemes: readonly string[], to: string, entity = "e1"): SupplierPayment => ({
    identifiers: pick(schemes),
    name: NAMES[1],
    entity,
    to,
  })
  test.each(sample(named, 8).map((schemes) => [schemes.join(", "), schemes] as const))(
    "paid as %s",
    async (_, known) => {
      resetSources()
      const anchors = known.filter((scheme) => scheme !== "ein")
      for (const schemes of named) {
        await book.begin("HIGH")
        const first = await book.deliver(payment(known, X))
        expect(strictness(first)).toBe(0)
        const isKnown = schemes.some((scheme) => anchors.includes(scheme as never))
        const again = await book.decide(payment(schemes, X, isKnown ? "another entity" : "e1"))
        // One anchor is as good as all of them. Without one, only the name or the EIN links, and that vouches for nobody.
        const expected = isKnown
          ? "ALLOW"
          : schemes.includes("ein") && known.includes("ein")
            ? "HOLD"
            : "IDENTITY_COLLISION"
        expect("code" in again ? again.code : again.core.decision, schemes.join()).toBe(expected)
        const elsewhere = await book.decide(payment(schemes, Y, "another entity"))
        expect(strictness(elsewhere), schemes.join()).toBe(2)
      }
    },
    60_000,
  )

  test("an identifier that joined later vouches for nobody alone, and holds also at the known destination", async () => {
    await book.begin("HIGH")
    await book.deliver(payment(["uei"], X))
    expect(strictness(await book.deliver(payment(["uei", "cage"], X)))).toBe(0)
    expect(strictness(await book.decide(payment(["cage"], X)))).toBe(2)
    expect(strictness(await book.decide(payment(["uei", "cage"], X)))).toBe(0)
  })
})
