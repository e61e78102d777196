/** A reviewer finds that it is the listed party after all: the judgement before it stays in force, and every page says so. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { listSuppressions, revokeSuppression } from "../../src/store/sources/suppressions.ts"
import { type Reviewer, textOf } from "../fixtures/desk.ts"
import { type JudgedDesk, openJudgedDesk } from "../fixtures/judged-desk.ts"

setDefaultTimeout(120_000)

let own: JudgedDesk
let [ann, ben]: Reviewer[] = []
const person = (one: Reviewer | undefined): Reviewer => one ?? expect.unreachable()
let judgement: string
let end: string

beforeAll(async () => {
  own = await openJudgedDesk()
  const { desk, check, openCases, reload } = own
  await check()
  await check()
  await openCases()
  ann = await desk.reviewer("Ann")
  ben = await desk.reviewer("Ben")
  await ann.judge(1)
  await reload()
  judgement = (await desk.store.read(listSuppressions))[0]?.suppressionId ?? expect.unreachable()
  end = `The operator ends it: bizauth suppressions revoke ${judgement} --reason TEXT --author NAME`
})
afterAll(() => own[Symbol.asyncDispose]())

const IN_FORCE = "is in force. It lifts the hit on US_OFAC_SDN "
const warned = () => own.desk.lines.filter((line) => line.includes('"level":"warn"'))

/** The record of this person about hit 1, with the words of the page that was signed. */
async function recorded(one: Reviewer, number: number, verdict: string) {
  const path = `/cases/${number}`
  const form = { hit: "1", verdict, because: "the owner is the same", until: "" }
  const { to } = await one.fill(path, `${path}/judge`, form)
  const signing = textOf(await one.get(to ?? ""))
  const signed = await one.sign(to ?? "")
  return { signing, to: signed.to ?? "", receipt: textOf(await one.get(signed.to ?? "")) }
}

test.each(["SAME_PARTY", "UNSURE"])("%s over a judgement in force", async (verdict) => {
  const before = warned().length
  const { signing, receipt, to } = await recorded(person(ben), 1, verdict)
  const shown = textOf(await person(ben).get("/cases/1"))
  for (const page of [signing, receipt, shown]) {
    expect(page).toContain(`Judgement ${judgement} ${IN_FORCE}`)
    expect(page).toContain(end)
  }
  const [line = "{}", ...more] = warned().slice(before)
  const { time: _, ...members } = JSON.parse(line)
  expect(more).toEqual([])
  expect(members).toEqual({
    level: "warn",
    event: "judgement_contradicted",
    record: Number(to.slice("/records/".length)),
    kind: verdict,
    case: 1,
    suppression_id: judgement,
    reviewer: expect.stringMatching(/^rev_/),
  })
  await own.reload()
  expect((await own.check()).decision).not.toBe("REVIEW")
})

test("the same on another case about the same party and entry", async () => {
  const { signing, receipt } = await recorded(person(ben), 2, "SAME_PARTY")
  for (const page of [signing, receipt, textOf(await person(ann).get("/cases/2"))]) expect(page).toContain(end)
})

test("nothing of it once the operator ended the judgement", async () => {
  const at = new Date().toISOString()
  await own.desk.store.run(() => revokeSuppression(judgement, { at, author: "O", reason: "the same owner" }))
  await own.reload()
  const before = warned().length
  const { signing, receipt, to } = await recorded(person(ben), 1, "SAME_PARTY")
  for (const page of [signing, receipt, textOf(await person(ben).get("/cases/1"))])
    expect(page).not.toContain("in force")
  expect(to).toStartWith("/records/")
  expect(warned().length).toBe(before)
  expect((await own.check()).decision).toBe("REVIEW")
})
