/** Texts of strangers stay text on every page of the desk, and no page loads or sends anything else. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { createLog } from "../../src/base/log.ts"
import { plainText } from "../../src/core/text/plain-text.ts"
import { FILE_BYTES_MAX } from "../../src/desk/form-body.ts"
import { DESK_REQUESTS_MAX, replyToDesk } from "../../src/desk/requests.ts"
import { DESK_ROUTES, findRoute } from "../../src/desk/routes.ts"
import { formToken } from "../../src/desk/secrets.ts"
import { type Reviewer, textOf } from "../fixtures/desk.ts"
import { HOSTILE_NAMES } from "../fixtures/hostile-names.ts"
import { type JudgedDesk, NEAR, openJudgedDesk } from "../fixtures/judged-desk.ts"

setDefaultTimeout(120_000)

let own: JudgedDesk
const hostile = Object.values(HOSTILE_NAMES).filter((name) => !name.includes("\u0000"))
let readers: Reviewer[] = []

beforeAll(async () => {
  own = await openJudgedDesk()
  await own.check()
  await own.openCases()
  for (const name of hostile.map((text) => [...text.replace(/\p{C}/gu, "")].slice(0, 150).join("")))
    readers = [...readers, await own.desk.reviewer(name)]
})
afterAll(() => own[Symbol.asyncDispose]())

const TAGS = /<(?:img|script|iframe|object|embed|link|svg|b|i)\b[^>]*>/g

/** Elements of a page that could load or run something. */
function elementsOf(page: string): readonly string[] {
  return (page.match(TAGS) ?? []).filter(
    (tag) => !tag.includes('href="data:image/svg') && !tag.includes('src="data:image/svg'),
  )
}

test("as the name of a reviewer, a note, a reason and a file name", async () => {
  const [first] = readers
  if (!first) return expect.unreachable()
  for (const [at, text] of hostile.entries()) {
    const reader = readers[at] ?? expect.unreachable()
    const note = text.replace(/[^\P{Cc}\n\t]/gu, "")
    const written = await reader.fill("/cases/1", "/cases/1/note", { note })
    expect([text, written.to]).toEqual([text, "/cases/1"])
  }
  await first.judge(1, {
    because: hostile
      .join("\n")
      .replace(/[^\P{Cc}\n\t]/gu, "")
      .slice(0, 900),
    verdict: "UNSURE",
  })
  for (const path of ["/", "/cases/1", "/reviewers", "/records/1", "/records/9", "/records/17", "/enrol"]) {
    const page = await first.get(path)
    expect([path, page.status, elementsOf(page.text)]).toEqual([path, 200, path === "/enrol" ? ["<script>"] : []])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
    expect([path, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(page.text)]).toEqual([
      path,
      false,
    ])
  }
  const shown = textOf(await first.get("/cases/1"))
  for (const name of [
    HOSTILE_NAMES.markup,
    HOSTILE_NAMES["the end of a script"],
    HOSTILE_NAMES["a formula of a spreadsheet"],
  ])
    expect(shown).toContain(plainText(name))
})

test("an answer's id is in no address, title or log line of the desk", async () => {
  const held = await own.check()
  const [first] = readers
  await own.openCases()
  const page = (await first?.get("/cases/2")) ?? expect.unreachable()
  expect(page.text).toContain(NEAR)
  expect(page.text).not.toContain(held.execution_id)
  expect(own.desk.lines.join("")).not.toMatch(/exe_|drq_|dlv_/)
})

test("only its own paths are found, each with its own method", () => {
  for (const { method, path } of DESK_ROUTES) {
    const real = path.replace(":number", "12").replace(":secret", "a".repeat(43))
    expect([real, findRoute(method, real)]).toEqual([
      real,
      expect.objectContaining({ route: expect.objectContaining({ path }) }),
    ])
    expect(findRoute("DELETE", real)).toContain(method)
  }
  for (const path of [
    "/metrics",
    "/livez",
    "/jwks.json",
    "/v1/us/companies/check",
    "/cases/0",
    "/cases/01",
    "/cases/x",
    "/cases/1/",
    "/enter/",
    "//",
    "/favicon.ico",
  ])
    expect([path, findRoute("GET", path)]).toEqual([path, "NO_PATH"])
})

test("more requests at once than it takes, and one before it has started, get 503", async () => {
  const { origin, lines } = own.desk
  const request = new Request(`${origin}/`, { headers: { host: new URL(origin).host } })
  const log = createLog("debug", () => {}, Date.now)
  const busy = await replyToDesk(request, DESK_REQUESTS_MAX + 1, { origin, log, deps: null })
  expect([busy.status, await busy.text()]).toEqual([503, expect.stringContaining("busy")])
  const early = await replyToDesk(request, 1, { origin, log, deps: null })
  expect([early.status, early.headers.get("retry-after"), await early.text()]).toEqual([
    503,
    "1",
    expect.stringContaining("starts"),
  ])
  expect(lines.filter((line) => line.includes('"bug"'))).toEqual([])
})

test("a file beside a note has at most 16 MiB", async () => {
  const [first] = readers
  if (!first) return expect.unreachable()
  const send = (bytes: number) => {
    const body = new FormData()
    body.set("token", formToken(first.session, "/cases/1/note"))
    body.set("note", "a file")
    body.set("file", new File([new Uint8Array(bytes)], "a.pdf"))
    return first.ask("/cases/1/note", { method: "POST", body, headers: { origin: own.desk.origin } })
  }
  expect((await send(FILE_BYTES_MAX + 1)).status).toBe(413)
  expect((await send(FILE_BYTES_MAX)).status).toBe(409)
})
