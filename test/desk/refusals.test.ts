/** What the desk refuses. Nothing of it leaves a record. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { faultWords } from "../../src/desk/fault-words.ts"
import { formToken } from "../../src/desk/secrets.ts"
import { recordsAfter } from "../../src/store/review/review-records.ts"
import { listKeys, reviewPolicy } from "../../src/store/review/review-register.ts"
import { testAuthenticator } from "../fixtures/authenticator.ts"
import { type Page, Reviewer, revokedByOperator, type TestDesk, textOf } from "../fixtures/desk.ts"
import { type JudgedDesk, openJudgedDesk } from "../fixtures/judged-desk.ts"

setDefaultTimeout(120_000)

let own: JudgedDesk
let desk: TestDesk
/** Recused from the payer of every case; the others judge. */
let [ann, ben, cem]: Reviewer[] = []
const person = (one: Reviewer | undefined): Reviewer => one ?? expect.unreachable()

beforeAll(async () => {
  own = await openJudgedDesk()
  desk = own.desk
  await own.check()
  await own.openCases()
  ann = await desk.reviewer("Ann")
  ben = await desk.reviewer("Ben", [], -8)
  cem = await desk.reviewer("Cem", [`payer:${await payer()}`], -257)
  await person(ann).signed("/reviewers", "/reviewers/policy", { persons: "2", of: "2", because: "four eyes" })
})
afterAll(() => own[Symbol.asyncDispose]())

async function payer(): Promise<string> {
  const one = await desk.reviewer("Reader")
  return /wallet <code>(0x[0-9a-f]{40})</.exec((await one.get("/cases/1")).text)?.[1] ?? expect.unreachable()
}

const records = () => desk.store.read(() => recordsAfter(0, 1_000))

/** Digest of the case as its page shows it. */
async function shownCase(): Promise<string> {
  return /name="shown" value="([^"]*)"/.exec((await person(ann).get("/cases/1")).text)?.[1] ?? ""
}

/** The page says why, and nothing is recorded. */
async function refused(ask: () => Promise<Page>, status: number, why: string): Promise<void> {
  const before = await records()
  const page = await ask()
  expect([page.status, textOf(page) || page.text]).toEqual([status, expect.stringContaining(why)])
  expect((await records()).length).toBe(before.length)
}

const FORM = { hit: "1", verdict: "UNSURE", because: "no time", until: "" }

/** The path of the page on which this person would sign. */
async function toSign(one: Reviewer, fields: Readonly<Record<string, string>> = {}): Promise<string> {
  const filled = await one.fill("/cases/1", "/cases/1/judge", { ...FORM, ...fields })
  return filled.to ?? expect.unreachable()
}

describe("a request from elsewhere", () => {
  test("that names another host", async () => {
    for (const host of ["localhost", `127.0.0.1:${desk.port}`, "bizauth-desk.localhost", `evil.example:${desk.port}`]) {
      const page = await person(ann).ask("/", { headers: { host } })
      expect([host, page.status]).toEqual([host, 421])
    }
  })

  test.each([
    ["another site", () => "https://evil.example"],
    ["another local port", () => `http://bizauth-desk.localhost:${desk.port + 1}`],
    ["the same port by its address", () => `http://127.0.0.1:${desk.port}`],
    ["a page that hides its origin", () => "null"],
  ])("a form from %s", async (_, origin) => {
    const fields = { because: "closed" }
    await refused(() => person(ann).forged("/cases/1/close", fields, { origin: origin() }), 403, "does not come from")
  })

  test("a form without an origin", async () => {
    const body = new URLSearchParams({ link: "a".repeat(43) }).toString()
    const headers = { "content-type": "application/x-www-form-urlencoded" }
    await refused(() => person(ann).ask("/enter", { method: "POST", body, headers }), 403, "does not come from")
  })

  test("a page in a frame: no page may be framed", async () => {
    const { headers } = await person(ann).get("/cases/1")
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
    expect(headers.get("x-frame-options")).toBe("DENY")
  })
})

describe("a form", () => {
  test("without its token, with that of another form, or with that of another session", async () => {
    const [first, second] = [person(ann).session, person(ben).session]
    const others = ["", formToken(first, "/cases/1/assign"), formToken(second, "/cases/1/close")]
    for (const wrong of others) {
      const fields = { token: wrong, because: "closed" }
      await refused(() => person(ann).post("/cases/1/close", fields), 403, "another session")
    }
  })

  test.each([
    [{ because: " " }, "The reason is empty"],
    [{ because: "a".repeat(1_001) }, "more than 1000 characters"],
    [{ because: "a\u0000b" }, "control character"],
    [{ verdict: "PERHAPS" }, "Choose one of the three answers"],
    [{ hit: "0" }, "The number of the entry"],
    [{ hit: "7" }, "the answer has no hit 7"],
    [{ verdict: "OTHER_PARTY", until: "tomorrow" }, "The end is a day"],
    [{ verdict: "OTHER_PARTY", until: "2020-01-01" }, "a day after today"],
    [{ verdict: "OTHER_PARTY", until: "2099-01-01" }, "at most a year away"],
  ])("with a wrong field: %o", async (fields, why) => {
    const shown = await shownCase()
    await refused(() => person(ann).forged("/cases/1/judge", { ...FORM, shown, ...fields }), 422, why)
  })

  test.each(["\u0000", "rev_", "Ann"])("that assigns a case to %j", async (to) => {
    const shown = await shownCase()
    await refused(
      () => person(ann).forged("/cases/1/assign", { shown, to }),
      422,
      "Who looks at it is one of the reviewers",
    )
  })

  test("about the case as another program showed it", async () => {
    const fields = { ...FORM, shown: `sha256:${"0".repeat(64)}` }
    await refused(() => person(ann).forged("/cases/1/judge", fields), 409, "an older one")
  })

  test("of another type, with a field twice, not in UTF-8, or too large", async () => {
    const ask = (body: string | Uint8Array<ArrayBuffer>, type = "application/x-www-form-urlencoded") =>
      person(ann).ask("/cases/1/close", {
        method: "POST",
        body,
        headers: { origin: desk.origin, "content-type": type },
      })
    await refused(() => ask("{}", "application/json"), 415, "no other content")
    await refused(() => ask("token=a&token=b"), 400, "the field token twice")
    await refused(() => ask(new Uint8Array([0xff, 0x3d])), 400, "not UTF-8")
    await refused(() => ask(`because=${"a".repeat(70_000)}`), 413, "at most")
  })
})

describe("the queue", () => {
  test.each([
    ["by=x", "by is one of age, amount, score"],
    ["state=x", "state one of OPEN"],
    ["product=x", "product is one of decision-gate"],
    ["by=constructor", "by is one of age, amount, score"],
    ["after=x", "after is where an earlier page"],
    ["after=0.5/1", "after is where an earlier page"],
    ["by=score&after=2026-11-20T08:00:00.000Z/1", "after is where an earlier page"],
    ["by=score&after=0.5/1", "after is where an earlier page"],
    ["by=score&after=-1/1", "after is where an earlier page"],
    ["by=amount&after=12/1", "after is where an earlier page"],
  ])("with a wrong choice: %s", async (query, why) => {
    await refused(() => person(ann).get(`/?${query}`), 400, why)
  })
})

describe("an entrance", () => {
  test("by a link that is unknown, spent or older than five minutes", async () => {
    const one = new Reviewer(desk)
    await refused(() => one.enter("a".repeat(43)), 403, "unknown, spent or older")
    const link = await desk.link("Ann")
    expect((await one.get(`/enter/${link}`)).status).toBe(200)
    expect((await one.enter(link)).to).toBe("/")
    await refused(() => one.enter(link), 403, "unknown, spent or older")
    const late = await desk.link("Ann")
    desk.ahead = 301_000
    await refused(() => one.enter(late), 403, "unknown, spent or older")
    desk.ahead = 0
  })

  test("ends the session before it, and half an hour without use ends it", async () => {
    const first = await desk.entered("Dora")
    const second = new Reviewer(desk)
    await second.enter(await desk.link("Dora"))
    await refused(() => first.get("/enrol"), 401, "the session has ended")
    expect((await second.get("/enrol")).status).toBe(200)
    desk.ahead = 29 * 60_000
    expect((await second.get("/enrol")).status).toBe(200)
    desk.ahead += 31 * 60_000
    await refused(() => second.get("/enrol"), 401, "the session has ended")
    desk.ahead = 0
  })

  test("ends after twelve hours, however often it is used", async () => {
    const one = await desk.entered("Emil")
    for (let hours = 0.4; hours < 12; hours += 0.4) {
      desk.ahead = hours * 3_600_000
      expect((await one.get("/enrol")).status).toBe(200)
    }
    desk.ahead = 12 * 3_600_000 + 1_000
    await refused(() => one.get("/enrol"), 401, "the session has ended")
    desk.ahead = 0
  })

  test("with a passkey that is another person's, or that signed something else", async () => {
    const one = new Reviewer(desk)
    await one.enter(await desk.link("Ann"))
    one.authenticator = person(ben).authenticator
    await refused(() => one.prove(), 422, "not enrolled here")
    one.authenticator = person(ann).authenticator
    const wrong = {
      clientData: (members: object) => ({ ...members, origin: `http://bizauth-desk.localhost:${desk.port + 1}` }),
    }
    await refused(() => one.prove(wrong), 422, "another address")
    expect((await one.get("/")).to).toBe("/prove")
    expect((await one.prove()).to).toBe("/")
    expect((await one.get("/")).status).toBe(200)
    ann = one
  })
})

describe("a signature", () => {
  test.each([
    ["inside a page of another site", { crossOrigin: true }, "inside a page of another site"],
    ["below a page of another site", { topOrigin: "https://evil.example" }, "inside a page of another site"],
    ["of another port", { origin: "http://bizauth-desk.localhost:1" }, "another address"],
    ["of another kind", { type: "webauthn.create" }, "or the reverse"],
  ])("made %s", async (_, changed, why) => {
    const path = await toSign(person(ann))
    const clientData = (members: object) => ({ ...members, ...changed })
    await refused(() => person(ann).sign(path, { clientData }), 422, why)
  })

  test.each(["\u0000", "", "a".repeat(42), null])("over the challenge %j, which no page makes", async (challenge) => {
    const path = await toSign(person(ann))
    const clientData = (members: object) => ({ ...members, challenge })
    await refused(() => person(ann).sign(path, { clientData }), 422, "What the browser says about the signature")
    const other = new Reviewer(desk)
    await other.enter(await desk.link("Reader"))
    other.authenticator = person(ann).authenticator
    await refused(() => other.prove({ clientData }), 422, "What the browser says about the signature")
    const third = await desk.entered(`With ${String(challenge?.length)}`)
    await refused(() => third.enrol(testAuthenticator(-8), { clientData }), 422, "What the browser says")
  })

  test.each([
    ["without a touch", 0x04, "Nobody touched"],
    ["without a check of the person", 0x01, "did not check who you are"],
  ])("made %s", async (_, flags, why) => {
    const path = await toSign(person(ann))
    const authenticatorData = (data: Buffer) => {
      data[32] = flags
      return data
    }
    await refused(() => person(ann).sign(path, { authenticatorData }), 422, why)
  })

  test("by another key, or over another record", async () => {
    const path = await toSign(person(ann))
    const signer = testAuthenticator(-7)
    await refused(() => person(ann).sign(path, { signer }), 422, "The signature is wrong")
    const other = (await toSign(person(ann), { because: "another reason" })).slice("/sign/".length)
    const again = await toSign(person(ann))
    const flipped = (signature: Buffer) => {
      signature[signature.length - 1]! ^= 1
      return signature
    }
    await refused(() => person(ann).sign(again, { signature: flipped }), 422, "signature is wrong")
    // The signature is over the first record, and its client data claims the second one.
    const text = (data: string) => Buffer.from(data.replace(again.slice("/sign/".length), other))
    const credential = JSON.parse(person(ann).assertion(again.slice("/sign/".length)))
    credential.response.clientDataJSON = text(
      Buffer.from(credential.response.clientDataJSON, "base64url").toString(),
    ).toString("base64url")
    await refused(
      () => person(ann).forged("/sign", { credential: JSON.stringify(credential) }),
      422,
      "signature is wrong",
    )
  })

  test("that was used, that is older than ten minutes, and that is of another session", async () => {
    const path = await toSign(person(ann))
    const credential = person(ann).assertion(path.slice("/sign/".length))
    expect((await person(ann).forged("/sign", { credential })).to).toStartWith("/records/")
    await refused(() => person(ann).forged("/sign", { credential }), 404, "was used already")
    const old = await toSign(person(ann))
    desk.ahead = 601_000
    await refused(() => person(ann).sign(old), 422, "older than ten minutes")
    desk.ahead = 0
    const foreign = await toSign(person(ben))
    await refused(() => person(ann).get(foreign), 404, "of another session")
  })

  test("whose counter went back", async () => {
    const path = await toSign(person(ann))
    const { authenticator } = person(ann)
    if (!authenticator) return expect.unreachable()
    const { counter } = authenticator
    authenticator.counter = 1
    await refused(() => person(ann).sign(path), 422, "went back")
    authenticator.counter = counter + 10
  })
})

/** The proposal that waits in the tests below. */
let proposal = 0

describe("a person", () => {
  test("who is recused sees no form, and a forged one records nothing", async () => {
    const page = await person(cem).get("/cases/1")
    expect([page.status, textOf(page)]).toEqual([200, expect.stringContaining("You are recused from this buyer")])
    expect(page.text).not.toContain('action="/cases/1/judge"')
    const shown = await shownCase()
    const filled = await person(cem).forged("/cases/1/judge", { ...FORM, shown })
    await refused(() => person(cem).sign(filled.to ?? ""), 422, "You are recused")
  })

  test("who proposed does not approve, and with a second passkey is the same person", async () => {
    proposal = await person(ann).judge(1)
    const path = `/records/${proposal}`
    const approve = { answer: "APPROVE", because: "" }
    expect((await person(ann).get(path)).text).not.toContain('value="APPROVE"')
    const own = await person(ann).forged(`${path}/answer`, approve)
    await refused(() => person(ann).sign(own.to ?? ""), 422, "You proposed this yourself")

    const [first, second] = [person(ann).authenticator, testAuthenticator(-8)]
    const enrolled = await person(ann).enrol(second)
    person(ann).authenticator = first
    const key = Number(/^\/records\/(\d+)$/.exec(enrolled.to ?? "")?.[1])
    expect(textOf(await person(ben).get(`/records/${key}`))).toContain("waits for approvals")
    await person(ben).answer(key, "APPROVE")
    await person(ann).answer(key, "APPROVE")
    const again = new Reviewer(desk)
    await again.enter(await desk.link("Ann"))
    again.authenticator = second
    expect((await again.prove()).to).toBe("/")
    const twice = await again.forged(`${path}/answer`, approve)
    await refused(() => again.sign(twice.to ?? ""), 422, "You proposed this yourself")
    ann = again
  })
})

test("a policy that one person makes laxer waits for the others", async () => {
  const change = { persons: "1", of: "1", because: "faster" }
  const record = await person(ann).signed("/reviewers", "/reviewers/policy", change)
  expect(textOf(await person(ann).get(`/records/${record}`))).toContain("waits for approvals")
  expect(await desk.store.read(reviewPolicy)).toEqual({ persons: 2, of: 2 })
})

test("an approval that races the revocation of its key", async () => {
  const path = `/records/${proposal}/answer`
  const filled = await person(ben).fill(`/records/${proposal}`, path, { answer: "APPROVE", because: "" })
  const keys = await desk.store.read(listKeys)
  const id = person(ben).authenticator?.credentialId
  const key = keys.find(({ credentialId }) => credentialId === id) ?? expect.unreachable()
  const credential = person(ben).assertion((filled.to ?? "").slice("/sign/".length))
  const { record, taken } = await revokedByOperator(desk, key.keyId)
  expect([record, taken.fault]).toEqual(["REVOKE", null])
  await refused(() => person(ben).get(filled.to ?? ""), 401, "the session has ended")
  await refused(() => person(ben).forged("/sign", { credential }), 401, "the session has ended")
})

test("a case that takes no more records: the page names the way out", () => {
  for (const fault of ["TOO_MANY_NOTES", "TOO_MANY_RECORDS"] as const) {
    expect(faultWords(fault)).toContain("ave the buyer ask again, and judge that answer.")
  }
})
