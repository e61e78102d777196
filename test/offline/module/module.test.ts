/** The verifier gives the same verdict in this process, as the command, and as the published module under Node, Bun and Chromium. */
import { beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { command } from "../../../src/cli/agent/verify-bundle.ts"
import type { IdentityConclusion } from "../../../src/offline/kinds/identity/conclusion.ts"
import { verifyBundle } from "../../../src/offline/kinds/identity/verify-bundle.ts"
import { publishedModule } from "../../../src/offline/module/published-module.ts"
import { type BundleCase, bundleCases } from "../../fixtures/bundle-cases.ts"
import { openChromium, openPage, VIEWS } from "../../fixtures/chromium.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { ROOT } from "../../fixtures/imports.ts"
import { sample } from "../../fixtures/long.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(30_000)

let cases: BundleCase[]
/** Verdicts of the verifier in this process. All others are compared with these. */
let expected: IdentityConclusion[]
let moduleText: string

beforeAll(async () => {
  cases = await bundleCases()
  expected = await Promise.all(cases.map(({ text, options }) => verifyBundle(text, options)))
  moduleText = publishedModule()
})

test("the table has VALID, INVALID and NOT_CHECKED bundles, and each gets its expected result", () => {
  expect(expected.map(({ result }, i) => `${cases[i]?.name}: ${result}`)).toEqual(
    cases.map(({ name, result }) => `${name}: ${result}`),
  )
  expect(new Set(cases.map(({ result }) => result)).size).toBe(3)
})

test("the module imports only two Node modules for its program part, and contains no machine-specific name", () => {
  const imports = [...moduleText.matchAll(/^\s*(?:import|export)\b[^\n]*from\s*"[^"]*"|\bimport\((?:"[^"]*")?/gm)].map(
    ([found]) => found,
  )
  expect(imports.toSorted()).toEqual(['import("node:fs/promises"', 'import("node:url"'])
  expect(moduleText).not.toMatch(
    /\bBuffer\b|\brequire\(|\beval\(|\bnew Function\b|\bBun\b|\bfetch\(|XMLHttpRequest|WebSocket/,
  )
  expect(moduleText).not.toContain(import.meta.dir.split("/").slice(0, 3).join("/"))
})

test("the module's text does not depend on the directory in which it is made", () => {
  const script = `import { publishedModule } from ${JSON.stringify(join(ROOT, "src/offline/module/published-module.ts"))}; console.log(publishedModule())`
  using elsewhere = freshDirectory()
  const file = join(elsewhere.path, "print.ts")
  writeFileSync(file, script)
  expect(ran(process.execPath, [file], elsewhere.path).out).toBe(`${moduleText}\n`)
})

/** A program that imports the module and prints the verdict of every row. */
const JUDGE_ALL = `
import { readFileSync } from "node:fs"
import { verifyBundle } from "./verifier.mjs"
const cases = JSON.parse(readFileSync("cases.json", "utf8"))
console.log(JSON.stringify(await Promise.all(cases.map(({ text, options }) => verifyBundle(text, options)))))
`

function workspace() {
  const fresh = freshDirectory()
  writeFileSync(join(fresh.path, "verifier.mjs"), moduleText)
  writeFileSync(join(fresh.path, "cases.json"), JSON.stringify(cases))
  writeFileSync(join(fresh.path, "judge.mjs"), JUDGE_ALL)
  return fresh
}

function ran(runtime: string, args: readonly string[], cwd: string) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([runtime, ...args], {
    cwd,
    stdout: "pipe",
    stderr: "pipe",
    timeout: 25_000,
  })
  return { exit: exitCode, out: stdout.toString(), err: stderr.toString() }
}

const node = Bun.which("node")
const runtimes: [string, string | null][] = [
  ["bun", process.execPath],
  [node ? "node" : "node (skipped: none on PATH)", node],
]

describe.each(runtimes)("under %s", (_, runtime) => {
  const here = runtime ? test : test.skip

  here("the imported module gives exactly the same verdict for every row", () => {
    using fresh = workspace()
    const { out } = ran(runtime ?? "", ["judge.mjs"], fresh.path)
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(expected)))
  })

  here("the module run as a program gives the command's verdict and exit code", async () => {
    using fresh = workspace()
    for (const [name, exit] of [
      ["as made", 0],
      ["too old", 3],
      ["nothing pinned", 4],
    ] as const) {
      const at = cases.findIndex((one) => one.name === name)
      const { text, options } = cases[at] ?? { text: "", options: {} }
      const file = join(fresh.path, "bundle.json")
      writeFileSync(file, text)
      const flags = [
        ...(options.logKey === undefined ? [] : ["--log-key", options.logKey]),
        ...(options.at === undefined ? [] : ["--at", options.at]),
        ...(options.maxAge === undefined ? [] : ["--max-age", String(options.maxAge)]),
      ]
      const program = ran(runtime ?? "", ["verifier.mjs", file, ...flags, "--json"], fresh.path)
      const same = await runCommand(command, [file, ...flags, "--json"])
      expect([program.exit, program.out]).toEqual([exit, same.out])
      expect(Number(same.exit)).toBe(exit)
      const printed = ran(runtime ?? "", ["verifier.mjs", file, ...flags], fresh.path)
      expect(printed.out).toBe((await runCommand(command, [file, ...flags])).out)
    }
    for (const number of sample(["1e9", "0x10", "5.0", " 5", "-1", ""], 1)) {
      const misread = ["verifier.mjs", "bundle.json", "--max-age", number]
      expect(ran(runtime ?? "", misread, fresh.path)).toMatchObject({ exit: 2, out: "" })
      const requests = await runCommand(command, [join(fresh.path, "bundle.json"), `--max-age=${number}`])
      expect([Number(requests.exit), requests.out]).toEqual([2, ""])
    }
    expect(ran(runtime ?? "", ["verifier.mjs"], fresh.path)).toMatchObject({ exit: 2, out: "" })
    expect(ran(runtime ?? "", ["verifier.mjs", "absent.json"], fresh.path)).toMatchObject({ exit: 4, out: "" })
  })
})

test("in Chromium every row gets the same verdict", async () => {
  const told = Promise.withResolvers<string>()
  const page = `<!doctype html><title>v</title><link rel="icon" href="data:,"><script type="module">
    import { verifyBundle } from "/verifier.mjs"
    const cases = await (await fetch("/cases.json")).json()
    const verdicts = await Promise.all(cases.map(({ text, options }) => verifyBundle(text, options)))
    await fetch("/verdicts", { method: "POST", body: JSON.stringify(verdicts) })
  </script>`
  await using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    routes: {
      "/": new Response(page, { headers: { "content-type": "text/html" } }),
      "/verifier.mjs": new Response(moduleText, {
        headers: { "content-type": "text/javascript", "x-content-type-options": "nosniff" },
      }),
      "/cases.json": Response.json(cases),
      "/verdicts": async (request) => {
        told.resolve(await request.text())
        return new Response()
      },
    },
  })
  const browser = await openChromium()
  await using opened = await openPage(browser, server.url.href, VIEWS[2]!)
  expect(JSON.parse(await told.promise)).toEqual(JSON.parse(JSON.stringify(expected)))
  expect(opened.complaints).toEqual([])
  await browser.close()
}, 60_000)
