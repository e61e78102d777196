/** The programs of docs/buy.md, typed and run against a real server and chain. Only what {@link typed} lists differs from the page. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { draftFor } from "../../../scripts/demo/drafts.ts"
import type { Running } from "../../fixtures/binary.ts"
import { DEV_KEYS } from "../../fixtures/chain.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { ROOT } from "../../fixtures/imports.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { ORGANIZATION, openTestOperator, type TestOperator } from "../../fixtures/test-operator.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(60_000)

const LINES_MAX_OF_PYTHON = 70
const page = readFileSync(join(ROOT, "docs/buy.md"), "utf8")

function program(name: string): string {
  const found = new RegExp(`<!-- program ${name} -->\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\`\\n<!-- /program -->`).exec(
    page,
  )?.[1]
  if (found === undefined) throw new Error(`docs/buy.md has no program ${name}`)
  return found
}

/** The same with the official x402 client: its imports first, the rest in place of step 3. */
function withX402(): string {
  const lines = program("x402").split("\n")
  const isImport = (line: string) => line.startsWith("import ")
  const step = `${lines.filter((line) => !isImport(line)).join("\n")}\n`
  const changed = program("buy.ts").replace(/\/\/ 3\. [\s\S]*?(?=\/\/ 4\. )/, () => step)
  return `${lines.filter(isImport).join("\n")}\n${changed}`
}

let operator: TestOperator
let server: Running
let serial = 0

beforeAll(async () => {
  operator = await openTestOperator()
  server = await operator.serve()
})
afterAll(() => operator[Symbol.asyncDispose]())

/** All differences from the page. */
function typed(text: string): string {
  return text
    .replaceAll("https://decisions.example", server.origin)
    .replace(`require: "RELEASE_PAYMENT"`, `require: "RELEASE_PAYMENT", environment: "test"`)
}

/** A folder with the files that the page names. */
async function folderOf(name: string, text: string) {
  const fresh = freshDirectory()
  const path = (file: string) => join(fresh.path, file)
  writeFileSync(path("org.key"), readFileSync(operator.path("mandate.key")))
  writeFileSync(path("wallet.key"), `${DEV_KEYS[3]}\n`)
  writeFileSync(path("draft.json"), JSON.stringify(draftFor(ORGANIZATION, { obligation: `PROGRAM-${++serial}` })))
  for (const [file, kept] of [
    ["client.mjs", "client.mjs"],
    ["verifier.mjs", "verifier.mjs"],
    ["client.d.ts", "client.d.mts"],
  ] as const) {
    writeFileSync(path(kept), await (await fetch(`${server.origin}/v1/agent/${file}`)).text())
  }
  symlinkSync(join(ROOT, "node_modules"), path("node_modules"))
  writeFileSync(path("package.json"), JSON.stringify({ type: "module" }))
  writeFileSync(path(name), typed(text))
  return { path, folder: fresh.path, [Symbol.dispose]: () => fresh[Symbol.dispose]() }
}

async function ran(command: readonly string[], cwd: string) {
  const child = Bun.spawn([...command], { cwd, stdout: "pipe", stderr: "pipe" })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { exit: await child.exited, out, err }
}

const TSC = join(ROOT, "node_modules/.bin/tsc")
const STRICT = [
  "--noEmit",
  "--strict",
  "--skipLibCheck",
  "--module",
  "nodenext",
  "--target",
  "es2023",
  "--lib",
  "es2023,dom",
]

describe.each([
  ["TypeScript with the client module", () => program("buy.ts")],
  ["TypeScript with @x402/fetch", withX402],
])("%s", (_, text) => {
  test("has no type error, pays once, and its decision is genuine, current and recovered", async () => {
    using made = await folderOf("buy.ts", text())
    const types = ran([TSC, ...STRICT, "--types", "bun-types", "buy.ts"], made.folder)
    const before = (await operator.transfers()).length
    const { exit, out, err } = await ran([process.execPath, "buy.ts"], made.folder)
    expect([exit, err]).toEqual([0, ""])
    expect(out).toContain("GENUINE")
    expect(out).toContain("RELEASE_PAYMENT, decision ALLOW")
    expect((await operator.transfers()).length).toBe(before + 1)
    expect(await types).toEqual({ exit: 0, out: "", err: "" })
  })
})

const python = Bun.which("python3")
const hasLibraries =
  python !== null &&
  Bun.spawnSync([python, "-c", "import cryptography, eth_account, requests"], { stderr: "ignore" }).exitCode === 0

describe(
  hasLibraries ? "Python" : "Python (NOT RUN: python3, cryptography, eth-account or requests is missing)",
  () => {
    test(`has at most ${LINES_MAX_OF_PYTHON} lines, pays once, and keeps what it signed`, async () => {
      expect(program("buy.py").trimEnd().split("\n").length).toBeLessThanOrEqual(LINES_MAX_OF_PYTHON)
      if (!hasLibraries) return
      using made = await folderOf("buy.py", program("buy.py"))
      const before = (await operator.transfers()).length
      const { exit, out, err } = await ran([python ?? "", "buy.py"], made.folder)
      expect([exit, err]).toEqual([0, ""])
      expect(out).toStartWith("ALLOW RELEASE_PAYMENT until ")
      expect((await operator.transfers()).length).toBe(before + 1)
      expect(["agent-keys.json", "request.json", "payment.json"].map((name) => existsSync(made.path(name)))).toEqual([
        true,
        true,
        true,
      ])
    })
  },
)
