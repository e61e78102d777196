/** A held answer is sold. Two reviewers judge its hit at the pages of the desk, and the next answer to the same question is cleared. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { listSold } from "../../src/delivery/sold-list.ts"
import type { DeskDeps } from "../../src/desk/deps.ts"
import { companyCheckRules } from "../../src/products/us/company-check/rules.ts"
import { openNextCases } from "../../src/review/open-cases.ts"
import { loadSuppressions } from "../../src/sources/boards/suppression-book.ts"
import type { SuppressionBook } from "../../src/sources/screening/suppress.ts"
import { buyAnswer, usBody } from "../fixtures/answers.ts"
import { headingIn, openTestDesk, type TestDesk, textOf } from "../fixtures/desk.ts"
import { type JudgingOperator, openJudgingOperator } from "../fixtures/judging-operator.ts"

setDefaultTimeout(120_000)

let at: JudgingOperator
let desk: TestDesk
beforeAll(async () => {
  at = await openJudgingOperator()
  const { store } = at.server
  let book: SuppressionBook = await loadSuppressions(store, Date.now())
  const lists: DeskDeps["lists"] = (board) => {
    const { index, states } = board === "US" ? at.boards.us : at.boards.gb
    const now = Date.now()
    return { index: index(), sources: states(now), suppressions: book, entries: null, at: now }
  }
  desk = await openTestDesk({ store, lists })
  reload = async () => {
    await at.reload()
    book = await loadSuppressions(store, Date.now())
  }
})
let reload: () => Promise<void>
afterAll(async () => {
  await desk[Symbol.asyncDispose]()
  await at.close()
})

const check = async () => {
  const body = usBody({ company: { legal_name: "Vostok Meridian LLC", identifiers: { uei: "SUPPLYER0001" } } })
  const bought = await buyAnswer(at.server, { path: companyCheckRules.path, body })
  if (bought.status !== 200) throw new Error(bought.text)
  return bought.answer
}

test("from the sale over the desk to the next answer", async () => {
  const held = await check()
  expect(held.decision).toBe("REVIEW")
  await listSold({ store: at.server.store, products: new Map() })
  await openNextCases(at.server.store)
  const ann = await desk.reviewer("Ann")
  const ben = await desk.reviewer("Ben", [], -8)
  await ann.signed("/reviewers", "/reviewers/policy", { persons: "2", of: "2", because: "four eyes" })
  const queue = await ann.get("/")
  expect([queue.status, headingIn(queue)]).toEqual([200, "Answers that wait for a person"])
  expect(textOf(queue)).toContain("Vostok Meridian LLC")
  const shown = await ann.get("/cases/1")
  expect(headingIn(shown)).toBe("Do not go on: hold")
  expect(textOf(shown)).toContain("With today's lists and judgements the next answer would be REVIEW")

  const proposal = await ann.judge(1)
  const receipt = await ann.get(`/records/${proposal}`)
  expect(textOf(receipt)).toContain("I judge that the screened party is not US_OFAC_SDN")
  expect(textOf(receipt)).toContain("waits for approvals")
  await reload()
  expect((await check()).decision).toBe("REVIEW")

  const approval = await ben.answer(proposal, "APPROVE")
  expect(textOf(await ben.get(`/records/${approval}`))).toContain("in effect")
  await reload()
  expect((await check()).decision).not.toBe("REVIEW")
  expect(textOf(await ann.get("/cases/1"))).toContain("decided")
  expect(desk.lines.join("")).not.toContain(held.execution_id)
})
