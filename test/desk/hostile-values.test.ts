/** Each value that a request may have, made by hand: every route of the desk answers it, and none has a fault. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { DESK_ROUTES } from "../../src/desk/routes.ts"
import { testAuthenticator } from "../fixtures/authenticator.ts"
import { Reviewer } from "../fixtures/desk.ts"
import { type JudgedDesk, openJudgedDesk } from "../fixtures/judged-desk.ts"

setDefaultTimeout(120_000)

let own: JudgedDesk
let ann: Reviewer
/** Without a passkey. */
let ben: Reviewer
let shown: string
/** A proposal that waits. */
let proposal: number

beforeAll(async () => {
  own = await openJudgedDesk()
  await own.check()
  await own.openCases()
  ann = await own.desk.reviewer("Ann")
  ben = await own.desk.entered("Ben")
  await own.desk.reviewer("Cem")
  await ann.signed("/reviewers", "/reviewers/policy", { persons: "2", of: "2", because: "four eyes" })
  proposal = await ann.judge(1)
  shown = /name="shown" value="([^"]*)"/.exec((await ann.get("/cases/1")).text)?.[1] ?? expect.unreachable()
})
afterAll(() => own[Symbol.asyncDispose]())

const NUMBERS = ["-1", "0", "0.5", "1e300", "01", "999999999999999", "99999999999999999999", "NaN"]
const DAYS = ["2026-02-30", "9999-12-31", "+010000-01-01", "2026-11-20T08:00:00.000Z"]
const WORDS = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "constructor",
  "__proto__",
  "toString",
  "\u202e",
  "null",
  "a".repeat(2_000),
]
const VALUES = [...WORDS, ...NUMBERS, ...DAYS, "rev_", "passkey-", "<script>", "../..", "%00", "sha256:", "1/1", "x/1"]

/** What a browser could send as the answer of an authenticator, with one text changed. */
function credentialsOf(value: string): readonly string[] {
  const base64 = (text: string) => Buffer.from(text).toString("base64url")
  const clientData = (challenge: unknown) => base64(JSON.stringify({ type: "webauthn.get", challenge, origin: value }))
  const response = { clientDataJSON: clientData(value), authenticatorData: value, signature: value }
  const registered = { publicKey: value, publicKeyAlgorithm: -8 }
  const whole = { id: value, rawId: value, type: "public-key", response: { ...response, ...registered } }
  const unknown = { ...response, ...registered, clientDataJSON: clientData("a".repeat(43)) }
  return [value, JSON.stringify(value), JSON.stringify(whole), JSON.stringify({ ...whole, response: unknown })]
}

/** The fields of each form; the first value of each is a good one. */
function fieldsOf(): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const credential = JSON.stringify(testAuthenticator(-8).assert("a".repeat(43), own.desk.origin))
  const judged = { shown, hit: "1", verdict: "OTHER_PARTY", because: "another owner", until: "2027-06-30" }
  return {
    "/enter": { link: "a".repeat(43) },
    "/enrol": { credential },
    "/prove": { credential },
    "/sign": { credential },
    "/cases/:number/judge": judged,
    "/cases/:number/close": { shown, because: "over" },
    "/cases/:number/note": { shown, note: "asked" },
    "/cases/:number/assign": { shown, to: "" },
    "/records/:number/answer": { answer: "APPROVE", because: "seen" },
    "/reviewers/revoke": { key: "passkey-", because: "lost" },
    "/reviewers/policy": { persons: "2", of: "2", because: "four eyes" },
  }
}

/** Fails if the desk had a fault. */
async function answered(one: Reviewer, path: string, fields: Readonly<Record<string, string>> | null): Promise<void> {
  const page = await (fields === null ? one.get(path) : one.forged(path, fields))
  const asked = [path.slice(0, 200), JSON.stringify(fields)?.slice(0, 400)]
  expect([...asked, page.status < 500 ? "" : page.status]).toEqual([...asked, ""])
}

const pathOf = (path: string, number: string | number) =>
  path.replace(":number", String(number)).replace(":secret", "a".repeat(43))

test("in each field of each form", async () => {
  const forms = fieldsOf()
  // Who leaves has no session for the next form, and the form has no field.
  const posted = DESK_ROUTES.filter(({ method, path }) => method === "POST" && path !== "/leave")
  expect(posted.map(({ path }) => path).sort()).toEqual(Object.keys(forms).sort())
  for (const { path } of posted) {
    const good = forms[path] ?? {}
    const at = pathOf(path, path.startsWith("/records/") ? proposal : 1)
    for (const name of [...Object.keys(good), "token"]) {
      const values = name === "credential" ? VALUES.flatMap(credentialsOf) : VALUES
      for (const value of values) {
        await answered(ann, at, { ...good, [name]: value })
        if (name === "credential") await answered(ben, at, { ...good, [name]: value })
      }
    }
  }
})

test("as the number or the secret of each path", async () => {
  for (const { method, path } of DESK_ROUTES.filter((one) => one.path.includes("/:"))) {
    const fields = method === "GET" ? null : (fieldsOf()[path] ?? {})
    for (const number of VALUES.map(encodeURIComponent)) {
      await answered(ann, pathOf(path, number), fields)
      await answered(new Reviewer(own.desk), pathOf(path, number), fields)
      await answered(ann, path.replace(/:\w+/, number), fields)
    }
  }
})

test("in each part of the address of the queue, and of each page", async () => {
  for (const name of ["by", "state", "product", "after"]) {
    for (const value of VALUES) {
      for (const by of ["age", "amount", "score"]) {
        await answered(ann, `/?${new URLSearchParams({ by, [name]: value })}`, null)
      }
    }
  }
  for (const value of VALUES) {
    for (const place of [`${value}/1`, `1/${value}`, `${value}/999999999999999`]) {
      for (const by of ["age", "amount", "score"]) {
        await answered(ann, `/?${new URLSearchParams({ by, after: place })}`, null)
      }
    }
  }
  for (const { path } of DESK_ROUTES.filter(({ method }) => method === "GET")) {
    await answered(ann, `${pathOf(path, 1)}?%00=%00&x=%ff#`, null)
  }
})

test("as the session", async () => {
  const one = new Reviewer(own.desk)
  for (const value of VALUES.map(encodeURIComponent)) {
    one.session = value
    await answered(one, "/", null)
    await answered(one, "/cases/1/close", { because: "over" })
  }
})

test("no fault is in the log", () => {
  expect(own.desk.lines.filter((line) => line.includes('"bug"'))).toEqual([])
})
