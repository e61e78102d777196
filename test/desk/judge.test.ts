/** A held answer is sold. Two reviewers judge its hit at the pages of the desk, and the next answer to the same question is cleared. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { testAuthenticator } from "../fixtures/authenticator.ts"
import { headingIn, Reviewer, textOf } from "../fixtures/desk.ts"
import { type JudgedDesk, NEAR, openJudgedDesk } from "../fixtures/judged-desk.ts"

setDefaultTimeout(120_000)

let own: JudgedDesk
beforeAll(async () => {
  own = await openJudgedDesk()
})
afterAll(() => own[Symbol.asyncDispose]())

test("a note with a file keeps name, length and digest, and an assignment shows in the queue", async () => {
  const { desk, check, openCases } = own
  await check()
  await openCases()
  const cem = await desk.entered("Cem")
  const ann = await desk.reviewer("Dora")
  const { text } = await ann.get("/cases/1")
  const body = new FormData()
  for (const name of ["token", "shown"]) {
    const from = text.slice(text.indexOf('action="/cases/1/note"'))
    body.set(name, new RegExp(`name="${name}" value="([^"]*)"`).exec(from)?.[1] ?? "")
  }
  body.set("note", "asked the registrar\nwaits for the extract")
  body.set("file", new File([new Uint8Array(1000).fill(7)], "extract\u202e.pdf"))
  const written = await ann.ask("/cases/1/note", { method: "POST", body, headers: { origin: desk.origin } })
  expect(written.to).toBe("/cases/1")
  const digest = `sha256:${new Bun.CryptoHasher("sha256").update(new Uint8Array(1000).fill(7)).digest("hex")}`
  expect(textOf(await ann.get("/cases/1"))).toContain(`File: extract.pdf, 1000 bytes, ${digest}`)
  const [, id = ""] = /<option value="(rev_[^"]*)"[^>]*>Cem</.exec((await ann.get("/cases/1")).text) ?? []
  expect((await ann.fill("/cases/1", "/cases/1/assign", { to: id })).to).toBe("/cases/1")
  expect(textOf(await ann.get("/"))).toContain("Cem")
  // Without a passkey a session opens no case.
  expect((await cem.get("/cases/1")).to).toBe("/enrol")
})

test("where one person judges, a second passkey enters no case before the first one approved it", async () => {
  const { desk } = own
  const one = await desk.reviewer("Eva")
  const [first, second] = [one.authenticator, testAuthenticator(-8)]
  expect(textOf(await one.get("/enrol"))).toContain("you approve it with the other one")
  const record = Number(/^\/records\/(\d+)$/.exec((await one.enrol(second)).to ?? "")?.[1])
  const other = new Reviewer(desk)
  await other.enter(await desk.link("Eva"))
  other.authenticator = second
  await other.prove()
  expect([(await other.get("/")).status, (await other.get("/enrol")).status]).toEqual([403, 403])
  one.authenticator = first
  await one.enter(await desk.link("Eva"))
  await one.prove()
  await one.answer(record, "APPROVE")
  await other.enter(await desk.link("Eva"))
  await other.prove()
  expect((await other.get("/")).status).toBe(200)
})

test("from the sale over the desk to the next answer", async () => {
  const { desk, check, openCases, reload } = own
  const held = await check()
  expect(held.decision).toBe("REVIEW")
  await openCases()
  const ann = await desk.reviewer("Ann")
  const ben = await desk.reviewer("Ben", [], -8)
  await ann.signed("/reviewers", "/reviewers/policy", { persons: "2", of: "2", because: "four eyes" })
  const queue = await ann.get("/")
  expect([queue.status, headingIn(queue)]).toEqual([200, "Answers that wait for a person"])
  expect(textOf(queue)).toContain(NEAR)
  const shown = await ann.get("/cases/2")
  expect(headingIn(shown)).toBe("Do not go on: hold")
  expect(textOf(shown)).toContain("With today's lists and judgements the next answer would be REVIEW")

  const proposal = await ann.judge(2)
  const receipt = await ann.get(`/records/${proposal}`)
  const judged = `judge in case 2 that ${NEAR} ( org, uei:SUPPLYER0001 ) is not VOSTOK MERIDIAN TRADING LLC (US_OFAC_SDN 90001), until`
  expect(textOf(receipt)).toContain(`I, Ann , ${judged}`)
  expect(textOf(receipt)).toContain("waits for approvals")
  await reload()
  expect((await check()).decision).toBe("REVIEW")

  const path = `/records/${proposal}`
  const toSign = await ben.fill(path, `${path}/answer`, { answer: "APPROVE", because: "" })
  const signing = textOf(await ben.get(toSign.to ?? ""))
  expect(signing).toContain("I, Ben , approve the proposal in case 2.")
  expect(signing).toContain(`I, Ann , ${judged}`)
  expect(signing).toContain("another owner, register extract")
  const approval = await ben.answer(proposal, "APPROVE")
  expect(textOf(await ben.get(`/records/${approval}`))).toContain("in effect")
  await reload()
  expect((await check()).decision).not.toBe("REVIEW")
  expect(textOf(await ann.get("/cases/2"))).toContain("decided")
  expect(textOf(await ann.get("/cases/2"))).not.toContain("the next answer would be REVIEW")
  expect(desk.lines.join("")).not.toContain(held.execution_id)
})
