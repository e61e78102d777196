/** The page of a delivered answer has the hits of `show`, by the same numbers, without what the buyer's records know of the company. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import type { Case } from "../../schemas/case.ts"
import { command as showDocument } from "../../src/cli/documents/show.ts"
import { digestOf } from "../../src/core/digest.ts"
import type { Listener } from "../../src/http/listen.ts"
import { deliveryRoute } from "../../src/pages/delivery-route.ts"
import { deliveredView } from "../../src/pages/views/answer-view.ts"
import { caseIn } from "../../src/pages/views/words.ts"
import { payeeVerificationExample } from "../../src/products/us/payee-verification/example.ts"
import { payeeVerificationRules } from "../../src/products/us/payee-verification/rules.ts"
import { wordsOf } from "../case/views-of.ts"
import { buyAnswer, freshCall } from "../fixtures/answers.ts"
import { destination } from "../fixtures/decision.ts"
import { type JudgingOperator, openJudgingOperator } from "../fixtures/judging-operator.ts"
import { leiFrom } from "../fixtures/lei.ts"
import { LISTED_WALLET } from "../fixtures/sample-parties.ts"
import { listening, testShell } from "../fixtures/shell.ts"
import { runCommand } from "../fixtures/terminal.ts"

setDefaultTimeout(120_000)

let at: JudgingOperator
let pages: Listener
beforeAll(async () => {
  at = await openJudgingOperator()
  const { shell } = testShell()
  const site = { issuerName: "Example", baseUrl: "https://svc.example" }
  const jsonPaths = new Map([[payeeVerificationRules.id, "/v1/us/executions/{executionId}"]])
  pages = listening(shell, [deliveryRoute({ shell, site, store: at.store, environment: "test", jsonPaths })])
})
afterAll(async () => {
  await pages.stop(0)
  await at.close()
})

interface NamedCompany {
  readonly legal_name: string
  readonly identifiers: Readonly<Record<string, string>>
}

/** Buys a verification of the payee. Returns its page, and the case that the operator sees. */
async function bought(company: NamedCompany, wallet?: string) {
  const example = payeeVerificationExample(freshCall())
  const { key } = freshCall()
  const invoice = { ...example.invoice, obligation_id: key, document_digest: digestOf(key) }
  const paid = destination(wallet)
  const body = { ...example, invoice, company, payee: paid, payment_destination: paid }
  const { status, text, answer } = await buyAnswer(at.server, { path: payeeVerificationRules.path, body })
  if (status !== 200) throw new Error(text)
  const page = await (await fetch(`${pages.origin}/deliveries/${answer.execution_id}`)).text()
  const shown = await runCommand(showDocument, [await at.exported(answer.execution_id), "--json"])
  return { page, words: wordsOf(page), whole: JSON.parse(shown.out).case as Case }
}

const NOTE = (count: number) =>
  `Hits that are not shown here: ${count}. They concern what the buyer's own records know of the company. The operator of this service sees them.`
const escaped = (text: string) => text.replaceAll("'", "&#39;")

function numbersOn(page: string): number[] {
  return [...page.matchAll(/<h2>Listed entry (\d+)<\/h2>/g)].map(([, number]) => Number(number))
}

test("a hit of the records is not there, and the wallets after it keep their numbers", async () => {
  const lei = leiFrom("RECORDS")
  const identifiers = { uei: "SUPPLYER0001" }
  await bought({ legal_name: "Quiet Meadow Tools LLC", identifiers: { ...identifiers, lei } })
  const { page, words, whole } = await bought({ legal_name: "Vostok Meridian LLC", identifiers }, LISTED_WALLET)
  expect(whole.hits.map(({ number, role }) => [number, role])).toEqual([
    [1, "company"],
    [2, "company, with the identifiers of the buyer's records"],
    [3, "wallet of the payee"],
    [4, "wallet of the destination"],
  ])
  expect(numbersOn(page)).toEqual([1, 3, 4])
  for (const { number, source_id: source, entry_id: id } of whole.hits.filter(({ number }) => number !== 2))
    expect(words).toContain(`Listed entry ${number} ${source}:${id}, `)
  expect(words).toContain(escaped(NOTE(1)))
  expect(words).toContain("Nobody can judge listed entry 3, 4 to be another party")
  for (const secret of [lei, "Quiet Meadow", "in the buyer"]) expect(page).not.toContain(secret)
})

test("an answer that only the records stop says that its hits are not shown, and nothing of them", async () => {
  const lei = leiFrom("SECONDRECORDS")
  const company = { legal_name: "Amber Orchard Works LLC", identifiers: { uei: "SUPPLYER0002" } }
  await bought({ ...company, identifiers: { ...company.identifiers, lei } })
  const remarks = `Legal Entity Number ${lei}.`
  await at.bring(["US_OFAC_SDN"], {
    extraSdn: [{ number: 90200, name: "OCHRE STRAIT HOLDINGS", programs: ["SDGT"], remarks }],
  })
  await at.reload()
  const { page, words, whole } = await bought(company)
  expect([whole.permission, whole.hits.map(({ entry_id: id }) => id)]).toEqual(["STOP", ["90200"]])
  expect(numbersOn(page)).toEqual([])
  expect(words).toContain(escaped(NOTE(1)))
  for (const secret of [lei, "OCHRE", "in the buyer"])
    expect([secret, page.toLowerCase().includes(secret.toLowerCase())]).toEqual([secret, false])
})

test("a name of the records that nobody can read is not there either", () => {
  const screening = { state: "CLEAR", hits: [], hit_count: 0 }
  const unread = { state: "SCRIPT_UNSUPPORTED", hits: [], hit_count: 3, name_problems: ["海上運輸"] }
  const recorded = { identifiers: ["cage:0ZZ01"], registration: null, screening: unread }
  const answer = { decision: "REVIEW", machine_action: "HOLD_FOR_HUMAN_REVIEW" }
  const documents = { answer, request: {}, facts: { screening, recorded_supplier: recorded } }
  expect(JSON.stringify(caseIn(documents))).toContain("海上運輸")
  const shown = deliveredView({ ...documents, environment: "test" }).case
  expect(JSON.stringify(shown)).not.toContain("海上運輸")
  expect([shown?.hits_left_out, shown?.notes]).toEqual([0, [NOTE(3)]])
})

test("without records of the buyer nothing is left out, and no note says so", async () => {
  const identifiers = { uei: "SUPPLYER0004" }
  const { page, words, whole } = await bought({ legal_name: "Vostok Meridian LLC", identifiers })
  expect(numbersOn(page)).toEqual(whole.hits.map(({ number }) => number))
  expect(words).not.toContain("not shown here")
})
