/** Architecture, "Who may import whom", and the style rules that a machine can check. A failure names the file. */
import { describe, expect, test } from "bun:test"
import { dirname } from "node:path"
import { LAYERS } from "../scripts/layers.ts"
import { codeOf, everyFile, importsOf, reachableFrom, sourceFiles, sourceText } from "./fixtures/imports.ts"

const files = sourceFiles("src", "schemas", "db")
const everyTypeScript = [...files, ...sourceFiles("test", "scripts")]

const NAMES = LAYERS.map(({ name }) => name).toSorted((one, other) => other.length - one.length)

/** The layer of a path: `schemas`, `db`, or the innermost folder of src/ with a row. */
function layerOf(path: string): string {
  const [top = "", ...below] = path.split("/")
  if (top !== "src") return top
  const inside = below.join("/")
  return NAMES.find((name) => inside.startsWith(`${name}/`)) ?? below[0] ?? ""
}

/** They import everything. */
const ASSEMBLY: ReadonlySet<string> = new Set(["server", "main.ts"])

const ALLOWED: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  LAYERS.map(({ name, imports }) => [name, imports]),
)

test("every folder of src/ has a row in the table of layers", () => {
  const folders = new Set(sourceFiles("src").map(layerOf))
  expect([...folders].filter((folder) => !(folder in ALLOWED) && !ASSEMBLY.has(folder))).toEqual([])
})

test("only scenarios start the program, because only they run against the compiled file", () => {
  const starting = new Set(["test/fixtures/binary.ts"])
  const waiting = new Set(sourceFiles("test"))
  for (let before = 0; before < starting.size; ) {
    before = starting.size
    for (const path of waiting) {
      if (!importsOf(path).some(({ to, typeOnly }) => !typeOnly && starting.has(to))) continue
      starting.add(path)
      waiting.delete(path)
    }
  }
  const tests = [...starting].filter((path) => path.endsWith(".test.ts"))
  expect(tests.length).toBeGreaterThan(40)
  expect(tests.filter((path) => !path.startsWith("test/scenarios/"))).toEqual([])
})

/** Layers that may import types freely, because a type does not exist at run time. */
const TYPES_ONLY: Readonly<Record<string, readonly string[]>> = { core: ["schemas"], delivery: ["http"] }

test("every layer imports only layers below it", () => {
  const broken = files.flatMap((path) => {
    const allowed = ALLOWED[layerOf(path)]
    if (!allowed) return []
    return importsOf(path)
      .filter(({ to }) => /^(src|schemas|db)\//.test(to) && layerOf(to) !== layerOf(path))
      .filter(({ to, typeOnly }) => !(typeOnly && TYPES_ONLY[layerOf(path)]?.includes(layerOf(to))))
      .filter(({ to }) => !allowed.includes(layerOf(to)))
      .map(({ to }) => `${path} -> ${to}`)
  })
  expect(broken).toEqual([])
})

test("the table of layers permits no import that no file needs", () => {
  const needed = new Set(files.flatMap((path) => importsOf(path).map(({ to }) => `${layerOf(path)} -> ${layerOf(to)}`)))
  const permitted = LAYERS.flatMap(({ name, imports }) => imports.map((to) => `${name} -> ${to}`))
  expect(permitted.filter((pair) => !needed.has(pair))).toEqual([])
})

test("the table of layers has no cycle: each layer imports only layers before it", () => {
  const order = LAYERS.map(({ name }) => name)
  const broken = LAYERS.flatMap(({ name, imports }) =>
    imports.filter((to) => to !== "server" && order.indexOf(to) >= order.indexOf(name)).map((to) => `${name} -> ${to}`),
  )
  expect(broken).toEqual([])
})

test("no files import each other in a cycle, neither values nor types, at start or on demand", () => {
  const edges = new Map(files.map((path) => [path, importsOf(path).map(({ to }) => to)]))
  const circles: string[] = []
  const done = new Set<string>()
  const visit = (path: string, way: readonly string[]): void => {
    const at = way.indexOf(path)
    if (at >= 0) circles.push([...way.slice(at), path].join(" -> "))
    if (at >= 0 || done.has(path)) return
    for (const next of edges.get(path) ?? []) visit(next, [...way, path])
    done.add(path)
  }
  for (const path of files) visit(path, [])
  expect(circles).toEqual([])
})

test("no product imports another product", () => {
  const product = (path: string) => {
    const [, , first = "", second = ""] = path.split("/")
    return first === "us" || first === "gb" ? `${first}/${second.endsWith(".ts") ? "" : second}` : first
  }
  // The lists of products are directly in the folder.
  const inProducts = sourceFiles("src/products").filter((path) => dirname(path) !== "src/products")
  const broken = inProducts.flatMap((path) =>
    importsOf(path)
      .filter(({ to }) => to.startsWith("src/products/") && product(to) !== product(path))
      // Code that the products of one country share is directly in its folder.
      .filter(({ to }) => !product(to).endsWith("/") && layerOf(to) === layerOf(path))
      .map(({ to }) => `${path} -> ${to}`),
  )
  expect(broken).toEqual([])
})

test("one file names the rows of networks, and only what assembles a program reads it", () => {
  const users = (path: string) =>
    files.filter((from) => importsOf(from).some(({ to }) => to === `src/payments/networks/${path}`))
  const rows = files.filter((path) => /^src\/payments\/networks\/(?!network\.ts|networks\.ts)/.test(path))
  for (const row of rows.map((path) => path.slice("src/payments/networks/".length))) {
    expect(users(row).filter((from) => !rows.includes(from))).toEqual(["src/payments/networks/networks.ts"])
  }
  const assembling = /^src\/(server|cli|sandbox|agent|data\/self-check)\//
  expect(users("networks.ts").filter((from) => !assembling.test(from))).toEqual([])
})

/** Who may open an SQLite file. Everything else sees an `Engine` or a `Store` (src/store/engine). */
const WITH_SQLITE =
  /^(src\/(store\/engine\/sqlite|sandbox|data\/backup)\/|src\/sources\/import\/register-file\.ts$|db\/)/

test("only the engine opens the database: no other code imports bun:sqlite, or what opens and migrates a file", () => {
  const opening = /^(bun:sqlite$|db\/(open|open-unchanged|migrate|schema-image)\.ts$)/
  const users = files.filter((path) => importsOf(path).some(({ to }) => opening.test(to)))
  expect(users.filter((path) => !WITH_SQLITE.test(path))).toEqual([])
  expect(users.filter((path) => WITH_SQLITE.test(path)).length).toBeGreaterThan(10)
})

test("only the engine, the sandbox and backups know SQLite's store; all others take a Store", () => {
  const stores = /^src\/store\/engine\/sqlite\/(sqlite-store|sqlite-view|log-sync|checkpoints)\.ts$/
  const users = files.filter((path) => importsOf(path).some(({ to }) => stores.test(to)))
  expect(users.filter((path) => !WITH_SQLITE.test(path))).toEqual([])
})

test("schemas import nothing but TypeBox and each other", () => {
  const broken = sourceFiles("schemas").flatMap((path) =>
    importsOf(path)
      .filter(({ to }) => !to.startsWith("schemas/") && to !== "@sinclair/typebox")
      .map(({ to }) => `${path} -> ${to}`),
  )
  expect(broken).toEqual([])
})

const pure = [
  ...sourceFiles("src/core", "src/checks", "src/case", "src/catalogue"),
  ...sourceFiles("src").filter((path) => path.endsWith("/decide.ts")),
  "src/delivery/next-step.ts",
]

describe("code that decides, and code that words a decision, names no clock, randomness, environment, network or database", () => {
  const forbidden: readonly (readonly [name: string, pattern: RegExp])[] = [
    ["the clock", /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bBun\.nanoseconds\b|\bTemporal\.Now\b/],
    [
      "randomness",
      /\bMath\.random\b|\brandomBytes\b|\bgetRandomValues\b|\brandomUUID\b|\brandomInt\b|\bgenerateKeyPair/,
    ],
    ["the environment", /\bprocess\.|\bBun\.env\b|\bimport\.meta\.env\b/],
    ["the network", /\bfetch\s*\(|\bWebSocket\b|\bXMLHttpRequest\b|\bBun\.(connect|listen|serve)\b/],
    ["a timer", /\bset(Timeout|Interval|Immediate)\b|\bBun\.sleep/],
  ]
  test.each(forbidden)("the rules reject %s", (_name, pattern) => {
    expect(pure.length).toBeGreaterThan(10)
    expect(pure.filter((path) => pattern.test(codeOf(path)))).toEqual([])
  })

  test("no such module uses any of them", () => {
    const modules =
      /^(bun:|viem|elysia|drizzle-orm|@x402|node:(fs|net|http|https|http2|tls|dns|dgram|child_process|os|process|worker_threads|timers))/
    const broken = pure.flatMap((path) =>
      importsOf(path)
        .filter(({ to, typeOnly }) => modules.test(to) && !typeOnly)
        .map(({ to }) => `${path} -> ${to}`),
    )
    expect(broken).toEqual([])
  })
})

describe("code that verifies offline has no network in its import graph", () => {
  const network = /^(node:)?(net|http|https|http2|tls|dns|dgram)(\/|$)|^(viem|elysia|@x402|drizzle-orm)(\/|$)/
  test.each([
    "src/cli/documents/verify.ts",
    "src/cli/documents/replay.ts",
    "src/cli/policies.ts",
    "src/cli/agent/verify-bundle.ts",
    "src/cli/agent/job-verify.ts",
    "src/pages/verify/script.ts",
  ])("%s", (entry) => {
    const { files: reached, packages } = reachableFrom(entry)
    expect(reached.size).toBeGreaterThan(5)
    expect([...packages].filter((name) => network.test(name))).toEqual([])
    const calls = /\bfetch\s*\(|\bBun\.(connect|listen|serve|udpSocket)\b|\bnew WebSocket\b/
    expect([...reached].filter((path) => path.endsWith(".ts") && calls.test(codeOf(path)))).toEqual([])
  })
})

test("start-up loads no chain code: the payment modules are loaded once the service listens", () => {
  const chain = /^(viem|@x402|@noble\/curves\/secp256k1)(\/|$)/
  const { files: reached, packages } = reachableFrom("src/cli/serve.ts", { atStart: true })
  expect(reached.size).toBeGreaterThan(200)
  expect([...packages].filter((name) => chain.test(name))).toEqual([])
  const late = [...reachableFrom("src/cli/serve.ts").packages].filter((name) => chain.test(name))
  expect(late.toSorted()).toEqual(["@noble/curves/secp256k1", "viem", "viem/accounts"])
})

test("start-up loads nothing of the sandbox: it is loaded at the first journey", () => {
  const isSandbox = (path: string) => /^src\/sandbox\//.test(path)
  expect([...reachableFrom("src/cli/serve.ts", { atStart: true }).files].filter(isSandbox)).toEqual([])
  expect([...reachableFrom("src/cli/serve.ts").files].filter(isSandbox).length).toBeGreaterThan(20)
})

test("start-up loads no package for mail, and only src/contact/mail imports one", () => {
  const mail = /^(nodemailer|smtp-server|postal-mime)(\/|$)/
  expect([...reachableFrom("src/cli/serve.ts", { atStart: true }).packages].filter((name) => mail.test(name))).toEqual(
    [],
  )
  const users = files.filter((path) => importsOf(path).some(({ to }) => mail.test(to)))
  expect(users.map((path) => dirname(path))).toEqual(["src/contact/mail", "src/contact/mail", "src/contact/mail"])
})

test("start-up loads nothing of PostgreSQL but the reader of its URL: a database on a server loads the rest", () => {
  const isPostgres = (path: string) => /^(src\/store\/engine|db)\/postgres\//.test(path)
  const atStart = [...reachableFrom("src/cli/serve.ts", { atStart: true }).files].filter(isPostgres)
  expect(atStart).toEqual(["src/store/engine/postgres/target-text.ts"])
  expect([...reachableFrom("src/cli/serve.ts").files].filter(isPostgres).length).toBeGreaterThan(20)
})

test("start-up loads no verifier of export bundles: the wallet loads it with the first bundle", () => {
  const bundle = "src/offline/kinds/identity/verify-bundle.ts"
  expect([...reachableFrom("src/cli/serve.ts", { atStart: true }).files]).not.toContain(bundle)
  expect([...reachableFrom("src/cli/serve.ts").files]).toContain(bundle)
})

test("start-up loads nothing of the page /verify: its first request does", () => {
  const isOfPage = (path: string) => path.startsWith("src/pages/verify/") || path === "src/pages/bundled-script.ts"
  expect([...reachableFrom("src/cli/serve.ts", { atStart: true }).files].filter(isOfPage)).toEqual([])
  expect([...reachableFrom("src/cli/serve.ts").files].filter(isOfPage).length).toBeGreaterThan(2)
})

test("start-up loads no parser of a list: a thread reads the publishers' files", () => {
  const isParser = (path: string) =>
    /^src\/sources\/publishers\/(uk-sanctions-list|us-ofac|us-sam-exclusions|us-trade-csl)\/(adapter|details|entry|record)\.ts$/.test(
      path,
    )
  expect([...reachableFrom("src/cli/serve.ts", { atStart: true }).files].filter(isParser)).toEqual([])
  expect([...reachableFrom("src/cli/serve.ts").files].filter(isParser).length).toBeGreaterThan(8)
})

test("start-up loads nothing of a case: the first page or the first listed answer does", () => {
  const isOfCase = (path: string) => /^src\/(case|catalogue|review)\//.test(path)
  expect([...reachableFrom("src/cli/serve.ts", { atStart: true }).files].filter(isOfCase)).toEqual([])
  expect([...reachableFrom("src/cli/serve.ts").files].filter(isOfCase).length).toBeGreaterThan(15)
})

test("start-up loads no text of the published verifier: its first request does", () => {
  const text = "src/products/agent-id/verifier-text.ts"
  expect([...reachableFrom("src/cli/serve.ts", { atStart: true }).files]).not.toContain(text)
  expect([...reachableFrom("src/cli/serve.ts").files]).toContain(text)
})

test("the verifier runs in a browser: only its program part and build-time code use Bun or Node", () => {
  const machine = ["program.ts", "published-module.ts"].map((name) => `src/offline/module/${name}`)
  const { files: reached } = reachableFrom("src/offline/kinds/identity/verify-bundle.ts")
  const judged = [...reached, "src/offline/words/print-conclusion.ts"].filter((path) => !path.startsWith("schemas/"))
  expect(judged.length).toBeGreaterThan(15)
  expect(judged.filter((path) => machine.includes(path))).toEqual([])
  expect(judged.filter((path) => /\b(Buffer|Bun|process|require)\b[.(]/.test(codeOf(path)))).toEqual([])
  const modules = judged.flatMap((path) =>
    importsOf(path).filter(({ to, typeOnly }) => !typeOnly && /^(node|bun):/.test(to)),
  )
  expect(modules).toEqual([])
})

test("the offline engine reaches no store, no keys of the service and no network, however a document is judged", () => {
  const layers = new Set<string>()
  for (const entry of sourceFiles("src/offline")) {
    for (const path of reachableFrom(entry).files) layers.add(layerOf(path))
  }
  const reached = ["base", "case", "catalogue", "checks", "core", "jobs/buyer-signing", "offline", "schemas"]
  expect([...layers].toSorted()).toEqual(reached)
})

test("the import reader finds every form of import (test of the tests above)", () => {
  const { files: reached, packages } = reachableFrom("src/cli/serve.ts")
  expect(reached).toContain("src/core/canonical-json.ts")
  expect(packages).toContain("elysia")
  expect(importsOf("src/cli/commands.ts").map(({ to }) => to)).toContain("src/cli/serve.ts")
  expect(importsOf("src/http/shell.ts").find(({ to }) => to === "src/base/machine.ts")?.typeOnly).toBe(true)
})

test("no file re-exports others, except the tables", () => {
  const barrel = /^\s*export\s+(\*|\{[^}]*\}|type\s*\{[^}]*\})\s*(as\s+\w+\s+)?from\s*"/m
  expect(files.filter((path) => path !== "db/tables.ts" && barrel.test(codeOf(path)))).toEqual([])
})

test("nothing is exported by default", () => {
  expect(everyTypeScript.filter((path) => /^\s*export\s+default\b/m.test(codeOf(path)))).toEqual([])
})

const LINES_MAX = 400
const FOLDER_FILES_MAX = 45
/** A released migration stays for ever. */
const GROWING: ReadonlySet<string> = new Set(["db/migrations", "test/fixtures"])

test(`no file has more than ${LINES_MAX} lines`, () => {
  const lines = (path: string) => sourceText(path).trimEnd().split("\n").length
  const tooLong = everyTypeScript.filter((path) => lines(path) > LINES_MAX)
  expect(tooLong.map((path) => `${path}: ${lines(path)}`)).toEqual([])
})

test(`no folder has more than ${FOLDER_FILES_MAX} files beside its sub-folders, migrations and test fixtures excepted`, () => {
  const counts = new Map<string, number>()
  for (const path of everyFile("src", "schemas", "db", "scripts", "test", "docs")) {
    const folder = dirname(path)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  expect(counts.get("src/core")).toBeGreaterThan(20)
  const tooFull = [...counts].filter(([folder, count]) => !GROWING.has(folder) && count > FOLDER_FILES_MAX)
  expect(tooFull).toEqual([])
})

test("files have kebab-case names that describe their exports, never their usefulness", () => {
  // What ends in `.sqlite.test.ts` asks SQLite itself.
  const name = /^[a-z0-9]+(-[a-z0-9]+)*((\.sqlite)?\.test)?\.ts$/
  const vague = /(^|[-/])(utils?|helpers?|manager|impl|misc|common-services)([-./]|$)/
  expect(everyTypeScript.filter((path) => !name.test(path.split("/").at(-1) ?? "") || vague.test(path))).toEqual([])
})

test("no file names a path outside the repository", () => {
  const outside = /["'`(\s](\/work\/|\/tmp\/|\/home\/|\.\.\/shared\/)/
  const here = "test/import-rules.test.ts"
  expect(everyTypeScript.filter((path) => path !== here && outside.test(sourceText(path)))).toEqual([])
})
