/** The published text signs the same bytes as this program, under Node and Bun, and touches nothing but its arguments. */
import { beforeAll, describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { publishedSigningModule } from "../../../src/jobs/buyer-signing/published-module.ts"
import { jwk, pem, VECTORS } from "../../fixtures/acp-vectors/vectors.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { ROOT } from "../../fixtures/imports.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

let moduleText: string
beforeAll(() => {
  moduleText = publishedSigningModule()
})

/** The text without its banner, comments and string constants. */
function code(): string {
  return moduleText
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/^\s*\/\/.*$/gm, "")
    .replace(/"(?:[^"\\\n]|\\.)*"/g, '""')
}

test("its only import is node:crypto, and it exports the function and its error", () => {
  const { imports, exports } = new Bun.Transpiler({ loader: "js" }).scan(moduleText)
  expect(new Set(imports.map(({ path }) => path))).toEqual(new Set(["node:crypto"]))
  expect(imports.every(({ kind }) => kind === "import-statement")).toBe(true)
  expect(exports.toSorted()).toEqual(["BindingError", "bindRequirement"])
  expect(code()).not.toMatch(/\bimport\s*\(|\brequire\b|\beval\b|\bnew Function\b/)
})

test("its code names no network, file, environment, clock, timer or randomness, and no place on this machine", () => {
  expect(code()).not.toMatch(
    /\b(fetch|XMLHttpRequest|WebSocket|EventSource|process|Bun|Deno|globalThis|global|window)\b/,
  )
  expect(code()).not.toMatch(/\b(Date|performance|setTimeout|setInterval|queueMicrotask|console|Math\.random)\b/)
  expect(code()).not.toMatch(/\b(randomBytes|randomUUID|generateKeyPair\w*|getRandomValues|async|await|Promise)\b/)
  expect(moduleText).not.toContain(ROOT)
  expect(moduleText).not.toContain("typebox")
})

test("the text does not depend on the directory in which it is made", () => {
  using elsewhere = freshDirectory()
  const file = join(elsewhere.path, "print.ts")
  const source = join(ROOT, "src/jobs/buyer-signing/published-module.ts")
  writeFileSync(
    file,
    `import { publishedSigningModule } from ${JSON.stringify(source)}; console.log(publishedSigningModule())`,
  )
  expect(ran([process.execPath, file], elsewhere.path).out).toBe(`${moduleText}\n`)
})

/** Traps everything that the module must not touch, and only then loads it. */
const SIGN_ALL = `
import { createPrivateKey } from "node:crypto"
const touched = []
const trap = (name) => new Proxy(function () {}, {
  get: (_, member) => { touched.push(name + "." + String(member)); return undefined },
  has: (_, member) => { touched.push(name + " has " + String(member)); return false },
  apply: () => { touched.push(name + "()"); throw new Error(name) },
  construct: () => { touched.push("new " + name); throw new Error(name) },
})
const given = JSON.parse(process.argv[2])
const env = process.env
const { bindRequirement, BindingError } = await import("./buyer-signing.mjs")
for (const name of ["fetch", "WebSocket", "setTimeout", "Date"]) globalThis[name] = trap(name)
Object.defineProperty(process, "env", { value: trap("env"), configurable: true })
const keys = { jwk: given.jwk, pem: given.pem, object: createPrivateKey(given.pem) }
const results = given.vectors.map(({ draft, actual_job }) =>
  Object.fromEntries(Object.entries(keys).map(([form, key]) => {
    const before = JSON.stringify(draft)
    const final = bindRequirement(draft, actual_job, key)
    return [form, { final, unchanged: JSON.stringify(draft) === before }]
  })))
const { draft, actual_job } = given.vectors[0]
const faults = [
  [draft, { ...actual_job, chainId: 1 }, given.pem],
  [given.vectors[0].final, actual_job, given.pem],
  [draft, actual_job, "no key"],
].map((args) => {
  try { bindRequirement(...args); return null }
  catch (error) { return [error instanceof BindingError, error.name, error.code, error.field, error.message] }
})
Object.defineProperty(process, "env", { value: env, configurable: true })
process.stdout.write(JSON.stringify({ results, faults, touched }))
`

const node = Bun.which("node")
const runtimes: [string, string[] | null][] = [
  ["bun", [process.execPath]],
  [node ? "node" : "node (skipped: none on PATH)", node ? [node] : null],
]

describe.each(runtimes)("under %s", (_, runtime) => {
  const here = runtime ? test : test.skip
  here("every vector and every form of key gives the same final requirement, and nothing else is touched", () => {
    using fresh = freshDirectory()
    writeFileSync(join(fresh.path, "buyer-signing.mjs"), moduleText)
    writeFileSync(join(fresh.path, "sign.mjs"), SIGN_ALL)
    const given = JSON.stringify({ vectors: VECTORS, jwk, pem })
    const { out, err } = ran([...(runtime ?? []), "sign.mjs", given], fresh.path)
    expect(err).toBe("")
    const { results, faults, touched } = JSON.parse(out)
    const expected = VECTORS.map(({ final }) => {
      const one = { final: JSON.parse(JSON.stringify(final)), unchanged: true }
      return { jwk: one, pem: one, object: one }
    })
    expect(results).toEqual(expected)
    expect(touched).toEqual([])
    expect(faults).toEqual([
      [true, "BindingError", "JOB_INVALID", "actualJob/chainId", "actualJob/chainId must be the number 8453 (Base)"],
      [true, "BindingError", "DRAFT_INVALID", "draft/buyer_authorization", "draft/buyer_authorization must be null"],
      [true, "BindingError", "KEY_INVALID", "privateKey", expect.stringContaining("must be an Ed25519 private key")],
    ])
  })
})

function ran(command: readonly string[], cwd: string) {
  const { stdout, stderr } = Bun.spawnSync([...command], { cwd, stdout: "pipe", stderr: "pipe", timeout: 25_000 })
  return { out: stdout.toString(), err: stderr.toString() }
}
