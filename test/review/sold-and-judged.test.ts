/** A held answer is sold, its case is opened, two reviewers judge it, and the next answer to the same question is cleared. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { EXIT } from "../../src/base/exit.ts"
import { command as add } from "../../src/cli/suppressions/add.ts"
import { digestOf } from "../../src/core/digest.ts"
import { formatInstant } from "../../src/core/time.ts"
import { listSold } from "../../src/delivery/sold-list.ts"
import { screenedPartiesOf } from "../../src/products/screened-parties.ts"
import { companyCheckRules } from "../../src/products/us/company-check/rules.ts"
import { openNextCases } from "../../src/review/open-cases.ts"
import { screen } from "../../src/sources/screening/screen.ts"
import { entryHash, screenedPartyDigest } from "../../src/sources/screening/suppress.ts"
import { listCases } from "../../src/store/review/review-cases.ts"
import { findAcquired } from "../../src/store/sales/acquired.ts"
import { buyAnswer, usBody } from "../fixtures/answers.ts"
import { JUDGED, type JudgingOperator, openJudgingOperator } from "../fixtures/judging-operator.ts"
import { answer, digestIn, propose, reviewers, reviewService } from "../fixtures/review-service.ts"

setDefaultTimeout(120_000)

let at: JudgingOperator
beforeAll(async () => {
  at = await openJudgingOperator()
})
afterAll(() => at.close())

const check = async () => {
  const body = usBody({ company: { legal_name: "Vostok Meridian LLC", identifiers: { uei: "SUPPLYER0001" } } })
  const bought = await buyAnswer(at.server, { path: companyCheckRules.path, body })
  if (bought.status !== 200) throw new Error(bought.text)
  return bought.answer
}

test("from the sale to the next answer", async () => {
  const held = await check()
  expect(held.decision).toBe("REVIEW")
  const { store } = at.server
  await listSold({ store, products: new Map() })
  await openNextCases(store)
  const { cases } = await store.read(() => listCases({ order: "AGE", states: ["OPEN"], after: null, limit: 10 }))
  const [one] = cases
  if (!one || cases.length !== 1) throw new Error(`${cases.length} cases`)
  expect(one).toMatchObject({
    product: companyCheckRules.id,
    decision: "REVIEW",
    permission: "HOLD",
    supplier: "Vostok Meridian LLC",
  })
  expect(one.scorePermille).toBeGreaterThan(800)
  expect(JSON.stringify(one)).not.toContain(held.execution_id)

  // What the page will do: the party as it was screened, beside the entry as the list has it.
  const stored = (await store.read(() => findAcquired(held.execution_id))) ?? expect.unreachable()
  const facts = JSON.parse(stored.factsJson)
  const index = at.boards.us.index()
  const decided = { product: stored.product, request: JSON.parse(stored.requestJson), facts }
  const { query } = screenedPartiesOf(decided, index)[0] ?? expect.unreachable()
  const { threshold: _, ...party } = query
  const hashes = new Map<string, { source_id: string; entry_id: string }>()
  screen(index, query, (listed) => {
    hashes.set(entryHash(listed), { source_id: listed.sourceId, entry_id: listed.entryId })
    return null
  })
  const [[hash, entry] = expect.unreachable()] = [...hashes]
  const service = reviewService(store)
  service.at = Date.now()
  service.listed.add(hash)
  const [ann, ben] = (await reviewers(service, ["Ann", "Ben"], 2)) as [never, never]
  const proposal = digestIn(
    await propose(service, ann, one.caseNumber, {
      case: {
        number: one.caseNumber,
        product: one.product,
        payer: one.payer,
        organization_id: one.organizationId,
        response_digest: digestOf(stored.capsuleJson),
        facts_digest: digestOf(facts),
        case_digest: digestOf("shown"),
      },
      hit: { party_digest: screenedPartyDigest(party) ?? "", ...entry, entry_hash: hash, details_digest: null },
      until: formatInstant(service.at + 86_400_000),
      judged: { party: JSON.stringify(party), details_version: null },
    }),
  )
  // The command line cannot judge alone where two persons must.
  const alone = await at.run(add, "--answer", held.execution_id, "--hit", "1", ...JUDGED)
  expect([alone.exit, alone.err]).toEqual([EXIT.INVALID, expect.stringContaining("2 persons must judge")])
  await at.reload()
  expect((await check()).decision).toBe("REVIEW")
  expect(await answer(service, "APPROVE", ben, proposal)).toMatchObject({ fault: null, effect: "EFFECTIVE" })
  await at.reload()
  expect((await check()).decision).not.toBe("REVIEW")
})
