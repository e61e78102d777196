/** `review try` says what the next answer would be: it equals the next one that is bought, and it leaves nothing. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { PAYMENT_DECISION_PRODUCT } from "../../../schemas/us/payment-decision.ts"
import { command as tryAgain } from "../../../src/cli/review/try.ts"
import { command as add } from "../../../src/cli/suppressions/add.ts"
import { command as revoke } from "../../../src/cli/suppressions/revoke.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { formatInstant } from "../../../src/core/time.ts"
import type { ScreenedMembers } from "../../../src/products/common/stored-entries.ts"
import { companyCheckRules } from "../../../src/products/us/company-check/rules.ts"
import { addRestore } from "../../../src/store/restores.ts"
import { listSuppressions } from "../../../src/store/sources/suppressions.ts"
import { buyAnswer } from "../../fixtures/answers.ts"
import { gbCompany, gbSources } from "../../fixtures/gb.ts"
import { JUDGED, type JudgingOperator, openJudgingOperator } from "../../fixtures/judging-operator.ts"
import { PRODUCT_ROWS, type ProductRow, prepareProducts, purchaseOf } from "../../fixtures/products.ts"
import { tableNames } from "../../fixtures/table-names.ts"

setDefaultTimeout(180_000)

/** Resembles the company of all US bodies. */
const SIMILAR = { number: 90210, name: "HARBOR LIGHT INSTRUMENTS OVERSEAS LLC", programs: ["SDGT"] }

interface Sold {
  readonly decision: string
  readonly reason_codes: readonly string[]
  readonly decision_id?: string
  readonly execution_id?: string
}

let at: JudgingOperator
beforeAll(async () => {
  const former = [{ name: "GRANITE FJORD", ceased_on: "2020-01-01" }]
  at = await openJudgingOperator({
    gb: gbSources({ companies: [gbCompany({ previous_company_names: former })] }),
  })
  await prepareProducts(at.server)
})
afterAll(() => at.close())

async function buy(row: ProductRow): Promise<Sold> {
  const { status, text } = await buyAnswer(at.server, purchaseOf(row, row.body()))
  if (status !== 200) throw new Error(`${row.id}: ${status} ${text}`)
  return JSON.parse(text)
}
const isDecision = ({ id }: ProductRow) => id === PAYMENT_DECISION_PRODUCT
const idOf = ({ decision_id: decision, execution_id: execution }: Sold) => decision ?? execution ?? ""
const tried = async (id: string, ...flags: string[]) => {
  const ran = await at.run(tryAgain, id, "--json", ...flags)
  if (ran.exit !== 0) throw new Error(`${ran.exit} ${ran.err}`)
  return JSON.parse(ran.out) as { would_be: Sold; is: Sold; facts: ScreenedMembers; is_answer: boolean }
}

/** The numbers of all hits. */
async function hitsOf(sold: Sold): Promise<string> {
  const { screening, recorded_supplier: recorded, screened_names: names = [] } = (await tried(idOf(sold))).facts
  const screenings = [screening, recorded?.screening, ...(recorded?.other_names ?? names).map((one) => one.screening)]
  const hits = screenings.flatMap((one) => [...(one?.hits ?? []), ...(one?.suppressed_hits ?? [])])
  return hits.map((_, at) => at + 1).join(",")
}

/** Without ids, times, and what follows from them: digests and tokens. */
function masked(answer: object): unknown {
  const text = canonicalize(answer)
    .replace(/\bev_[0-9a-f]{32}/g, "ID")
    .replace(/\b(?:req|drq|dec|dlv|exe|psp|asm)_[A-Za-z0-9_-]{22,}/g, "ID")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/sha256:[0-9a-f]{64}/g, "DIGEST")
    .replace(/svc_at_[A-Za-z0-9_-]+/g, "")
  // Evidence is in the order of its ids.
  return JSON.parse(text, (_, value) =>
    Array.isArray(value) ? value.toSorted((one, other) => (canonicalize(one) < canonicalize(other) ? -1 : 1)) : value,
  )
}

/** What only a sale adds to a core. */
const SOLD_MEMBERS = ["billing", "delivery", "proof_capsule", "payment", "economic_activity"]

function coreOf(answer: object): object {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !SOLD_MEMBERS.includes(name)))
}

async function everyRow(): Promise<string> {
  const rows = []
  for (const table of tableNames()) rows.push([table, await at.server.database.rows(`SELECT * FROM ${table}`)])
  return Bun.inspect(rows, { depth: 9 })
}

test("it equals the next bought answer of each product but for ids and times, writes no row and sends nothing", async () => {
  const held = new Map<ProductRow, Sold>()
  // After this the buyer's records know the supplier under all its identifiers: `try` does not read them again.
  for (const row of PRODUCT_ROWS) await buy(row)
  await at.bring(["US_OFAC_SDN"], { extraSdn: [SIMILAR] })
  await at.reload()
  for (const row of PRODUCT_ROWS) held.set(row, await buy(row))
  for (const [row, { decision }] of held)
    expect([row.id, decision]).toEqual([row.id, isDecision(row) ? "HOLD" : "REVIEW"])
  for (const sold of held.values()) {
    const { would_be: same, is } = await tried(idOf(sold))
    expect([same.decision, same.reason_codes]).toEqual([is.decision, is.reason_codes])
  }
  for (const sold of held.values()) {
    const judged = await at.run(add, "--answer", idOf(sold), "--hit", await hitsOf(sold), ...JUDGED)
    // Two products ask for one party, so the second judgement exists already.
    if (judged.exit !== 0) expect(judged.err).toContain("already says so")
  }
  const before = await everyRow()
  const requests = at.server.lines.length
  const now = new Map<ProductRow, Sold>()
  for (const [row, sold] of held) {
    const { would_be: would, is_answer: isAnswer } = await tried(idOf(sold))
    expect(isAnswer).toBe(false)
    now.set(row, would)
  }
  expect(await everyRow()).toBe(before)
  expect(at.server.lines).toHaveLength(requests)
  await at.reload()
  // The Payment Decision first: a payee that another product verified is a record, which `try` does not read again.
  const [decision, ...others] = [...now].sort(([one], [other]) => Number(isDecision(other)) - Number(isDecision(one)))
  for (const [row, would] of [decision!, ...others]) {
    const bought = await buy(row)
    expect([row.id, bought.decision]).toEqual([row.id, isDecision(row) ? "ALLOW" : "APPROVE"])
    expect(masked(coreOf(would))).toEqual(masked(coreOf(bought)))
  }
})

test("an unknown answer, an unknown or ended judgement, and a list that is not current are refused", async () => {
  expect(await at.run(tryAgain, "exe_AAAAAAAAAAAAAAAAAAAAAA")).toMatchObject({ exit: 5 })
  expect(await at.run(tryAgain, "none")).toMatchObject({ exit: 5 })
  const row = PRODUCT_ROWS.find(({ id }) => id === companyCheckRules.id)!
  const id = idOf(await buy(row))
  expect(await at.run(tryAgain, id, "--judgement", "sup_none")).toMatchObject({
    exit: 5,
    err: "no suppression sup_none; see bizauth suppressions list",
  })
  const [judged] = await at.store.read(listSuppressions)
  const given = judged?.suppressionId ?? ""
  const shown = await at.run(tryAgain, id)
  expect([shown.exit, shown.out.split("\n").slice(0, 3)]).toEqual([
    0,
    [
      "would be APPROVE  CONTINUE",
      "is       APPROVE  CONTINUE",
      "  no answer: nothing is signed, stored or sent, and nobody is charged",
    ],
  ])
  for (const { suppressionId } of await at.store.read(listSuppressions))
    await at.run(revoke, suppressionId, "--reason", "wrong file", "--author", "S. Second")
  const held = await at.run(tryAgain, id)
  expect(held.out).toContain("would be REVIEW  HOLD_FOR_HUMAN_REVIEW\n")
  expect(held.out).toContain("  new      RESTRICTED_PARTY_POSSIBLE_MATCH\n")
  expect(await at.run(tryAgain, id, "--judgement", given)).toMatchObject({
    exit: 3,
    err: expect.stringContaining("revoked"),
  })
  const stale = await at.run(tryAgain, id, "--sources-disabled", "US_OFAC_SDN")
  expect(stale).toMatchObject({ exit: 4, err: expect.stringContaining("no answer of this product is sold now: ") })
})

test("a judgement that a restore paused counts if the command names it, and stays paused", async () => {
  const row = PRODUCT_ROWS.find(({ id }) => id === companyCheckRules.id)!
  const sold = await buy(row)
  const judged = await at.run(add, "--answer", idOf(sold), "--hit", await hitsOf(sold), ...JUDGED)
  const id = /sup_[\w-]{22}/.exec(judged.out)?.[0] ?? ""
  expect(judged.out.match(/^added/gm)).toHaveLength(1)
  const now = formatInstant(Date.now() + 1000)
  await at.store.run(() => addRestore({ backup_at: now, restored_at: now, newest_declared_at: null }))
  expect((await at.run(tryAgain, idOf(sold))).out).toStartWith("would be REVIEW")
  expect((await at.run(tryAgain, idOf(sold), "--judgement", id)).out).toStartWith("would be APPROVE")
  expect((await at.run(tryAgain, idOf(sold))).out).toStartWith("would be REVIEW")
})
