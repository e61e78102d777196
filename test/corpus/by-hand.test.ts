/** The program of docs/verify.md, "By hand", over a stored delivery of every product. */
import { afterAll, describe, expect } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PRODUCT_IDS } from "../../schemas/products.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { ROOT } from "../fixtures/imports.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { ISSUER } from "./build-list.ts"
import { BUILDS, folderOf, storedIn } from "./stored-bundle.ts"

const test = slowTests(import.meta.path)

const workspace = freshDirectory()
afterAll(() => workspace[Symbol.dispose]())
const path = (name: string) => join(workspace.path, name)
const page = readFileSync(join(ROOT, "docs/verify.md"), "utf8")
const program = /<!-- by-hand -->\n```js\n([\s\S]*?)```/.exec(page)?.[1]
if (program === undefined) throw new Error("docs/verify.md has no program")
writeFileSync(path("by-hand.mjs"), program)

const newest = BUILDS.at(-1) ?? ""
const { stored } = storedIn(newest)
writeFileSync(path("issuer.jwks.json"), readFileSync(join(folderOf(newest), ISSUER)))
/** Node where it is there, because the page names it first. */
const runtime = Bun.which("node") ?? process.execPath

function run(document: Uint8Array | string, capsule: Uint8Array | string | null = null): { exit: number; out: string } {
  writeFileSync(path("document.json"), document)
  if (capsule !== null) writeFileSync(path("given.capsule"), capsule)
  const more = capsule === null ? [] : ["given.capsule"]
  const command = [runtime, "by-hand.mjs", "document.json", "issuer.jwks.json", ...more]
  const { exitCode, stdout } = Bun.spawnSync(command, { cwd: workspace.path, stdout: "pipe", stderr: "inherit" })
  return { exit: exitCode ?? -1, out: stdout.toString() }
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe.each(PRODUCT_IDS.map((id) => [id] as const))("%s", (id) => {
  const one = stored.find(({ product }) => product === id)

  test("every check passes, and a changed decision fails", () => {
    // A product that is newer than the newest build has no stored delivery.
    if (!one) return
    const { answer, capsule } = one
    const genuine = run(answer, capsule)
    expect(genuine).toEqual({ exit: 0, out: expect.stringContaining("ok   signature") })
    expect(genuine.out).not.toContain("FAIL")
    const changed = text(answer).replace(/"machine_action":"\w+"/g, '"machine_action":"RELEASE_PAYMENT_NOW"')
    expect(run(changed, capsule)).toEqual({ exit: 1, out: expect.stringContaining("FAIL core digest") })
  })
})

test("the capsule may have the form of the header, and an answer without one is not verified", () => {
  const one = stored.find(({ capsule }) => capsule !== null)
  if (!one?.capsule) throw new Error("no stored answer has a capsule")
  expect(run(one.answer, Buffer.from(one.capsule).toString("base64url")).exit).toBe(0)
  expect(run(one.answer)).toEqual({ exit: 4, out: "the capsule is missing: document.json.capsule\n" })
})

test("for a kind that it does not know the program says so, and verifies nothing", () => {
  const passport = stored.find((one) => one.passport !== null)?.passport
  const said = { exit: 4, out: "not verified: this program does not know this kind of document\n" }
  expect(run(passport ?? "")).toEqual(said)
  expect(run("{}")).toEqual(said)
  expect(run('{"proof_capsule":{"payload":{"domain":"svc.other.v1"}},"delivery":{}}')).toEqual(said)
})
