/** What becomes of a person whose passkey was revoked. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { recordsAfter } from "../../src/store/review/review-records.ts"
import { listKeys } from "../../src/store/review/review-register.ts"
import { testAuthenticator } from "../fixtures/authenticator.ts"
import { optionsIn, type Page, type Reviewer, revokedByOperator, type TestDesk, textOf } from "../fixtures/desk.ts"
import { type JudgedDesk, openJudgedDesk } from "../fixtures/judged-desk.ts"

setDefaultTimeout(120_000)

let own: JudgedDesk
let desk: TestDesk
let cem: Reviewer
beforeAll(async () => {
  own = await openJudgedDesk()
  desk = own.desk
  const ann = await desk.reviewer("Ann")
  cem = await desk.reviewer("Cem")
  // Whoever enrols from now on waits for approvals.
  await ann.signed("/reviewers", "/reviewers/policy", { persons: "2", of: "2", because: "four eyes" })
})
afterAll(() => own[Symbol.asyncDispose]())

const records = () => desk.store.read(() => recordsAfter(0, 1_000))

/** The page says why, and nothing is recorded. */
async function refused(ask: () => Promise<Page>, status: number, why: string): Promise<void> {
  const before = await records()
  const page = await ask()
  expect([page.status, textOf(page) || page.text]).toEqual([status, expect.stringContaining(why)])
  expect((await records()).length).toBe(before.length)
}

const keyOf = async (one: Reviewer) => {
  const id = one.authenticator?.credentialId
  const key = (await desk.store.read(listKeys)).find(({ credentialId }) => credentialId === id)
  return key?.keyId ?? expect.unreachable()
}
const credential = (one: Reviewer, challenge: string) =>
  JSON.stringify(testAuthenticator(-8).register(challenge, one.desk.origin))

test("an open session enrols no new passkey after the revocation, also from a page that was open before", async () => {
  const dee = await desk.reviewer("Dee")
  const { challenge } = optionsIn((await cem.get("/enrol")).text)
  await revokedByOperator(desk, await keyOf(cem))
  await refused(() => cem.get("/"), 401, "the session has ended")
  await refused(() => cem.get("/enrol"), 401, "the session has ended")
  const made = credential(cem, challenge)
  await refused(() => cem.forged("/enrol", { credential: made }), 401, "the session has ended")
  expect((await dee.get("/enrol")).status).toBe(403)
})

test("a link from before the revocation does not open the desk; a new link does, and the person enrols again", async () => {
  const eve = await desk.reviewer("Eve")
  const link = await desk.link("Eve")
  await revokedByOperator(desk, await keyOf(eve))
  await refused(() => eve.enter(link), 403, "unknown, spent or older")
  expect((await eve.enter(await desk.link("Eve"))).to).toBe("/")
  expect((await eve.get("/")).to).toBe("/enrol")
})

test("a session that no passkey opened ends with the revocation", async () => {
  const fay = await desk.reviewer("Fay")
  const key = await keyOf(fay)
  await fay.enter(await desk.link("Fay"))
  expect((await fay.get("/")).to).toBe("/prove")
  await revokedByOperator(desk, key)
  await refused(() => fay.get("/enrol"), 401, "the session has ended")
})

test("an eleventh passkey, also after the ten before it were revoked, and the page names a way out that works", async () => {
  const one = await desk.entered("Gus")
  for (let at = 0; at < 10; at++) {
    const enrolled = testAuthenticator(-8)
    expect((await one.enrol(enrolled)).to).toStartWith("/records/")
    const keys = await desk.store.read(listKeys)
    const key = keys.find(({ credentialId }) => credentialId === enrolled.credentialId) ?? expect.unreachable()
    expect((await revokedByOperator(desk, key.keyId)).taken.fault).toBeNull()
    await one.enter(await desk.link("Gus"))
  }
  const way = "enters you anew under another name, with the same recusals: bizauth review add NAME"
  await refused(() => one.enrol(testAuthenticator(-8)), 422, way)
  const again = await one.enrol(testAuthenticator(-8))
  expect(textOf(again).toLowerCase()).not.toContain("revoke")
  expect((await (await desk.reviewer("Gus 2")).get("/reviewers")).status).toBe(403)
})
