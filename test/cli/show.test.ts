import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "../../src/base/exit.ts"
import { command } from "../../src/cli/documents/show.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { ROOT } from "../fixtures/imports.ts"
import { runCommand } from "../fixtures/terminal.ts"

const PASSPORT = "test/corpus/first-build/us.company.check.v1/approve-listed-name-inside.passport.json"
const passport = join(ROOT, PASSPORT)
const show = (...argv: string[]) => runCommand(command, argv)

test("text names the decision, what to do, and the command that verifies the file", async () => {
  const { exit, out, err } = await show(passport)
  expect([exit, err]).toEqual([EXIT.DONE, ""])
  expect(out).toContain(`bizauth verify ${passport} --issuer JWKS`)
  expect(out).toContain("\nIt says: APPROVE: CONTINUE\n")
  expect(out).toContain("company legal name")
})

test("JSON has the same parts, and says that nothing is verified", async () => {
  const { out } = await show(passport, "--json")
  const told = JSON.parse(out)
  expect(told).toMatchObject({ kind: "a company passport", verified: false, decision: { decision: "APPROVE" } })
  expect(told.sources.length).toBe(4)
})

test("a page needs no server: it has no script, no link and a policy that loads nothing", async () => {
  const { out } = await show(passport, "--html")
  expect(out).toStartWith("<!doctype html>")
  expect(out).toContain("default-src &#39;none&#39;")
  expect(out).not.toMatch(/<script|<a |<img|<link|frame-ancestors/)
  expect(out).toContain("<h1>A company passport</h1>")
})

test("a capsule, an identity bundle and an unusual name get their own command", async () => {
  using directory = freshDirectory()
  const bundle = join(directory.path, "a b'c.json")
  writeFileSync(bundle, JSON.stringify({ bundle_type: "b", agent_id: "svc:agent:x" }))
  expect((await show(bundle)).out).toContain(`bizauth agent verify-bundle '${directory.path}/a b'\\''c.json'`)
  const capsule = join(
    ROOT,
    "test/corpus/first-build/us.vendor.payment_detail_change.authorize.v1/approve-changed-payee.answer.json.capsule",
  )
  expect((await show(capsule)).out).toContain(`bizauth verify ANSWER --capsule ${capsule} --issuer JWKS`)
})

test("a file that is no document is named, with exit 4", async () => {
  using directory = freshDirectory()
  const cases: readonly (readonly [content: string | Uint8Array, words: string])[] = [
    ["", "the file is empty"],
    ["{", "the file ends early at byte 1"],
    ["{}", "not a document that this program knows"],
    ["%PDF-1.7", "this is a PDF, not JSON"],
    [new Uint8Array(4 * 1024 * 1024 + 1).fill(32), "over 4194304 bytes"],
  ]
  for (const [content, words] of cases) {
    const path = join(directory.path, "file.json")
    writeFileSync(path, content)
    const { exit, err, out } = await show(path)
    expect([exit, out]).toEqual([EXIT.NOT_CHECKED, ""])
    expect(err).toContain(words)
  }
  expect((await show(join(directory.path, "absent.json"))).exit).toBe(EXIT.NOT_CHECKED)
  expect((await show(passport, "--html", "--json")).exit).toBe(EXIT.USAGE)
})
