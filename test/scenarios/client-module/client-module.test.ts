/** The published client module under Node, Bun, Deno and Chromium, against a real server and chain: from new keys to a recovered decision. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PRODUCT_IDS } from "../../../schemas/products.ts"
import { draftFor } from "../../../scripts/demo/drafts.ts"
import type * as declared from "../../../src/agent/module/client.d.ts"
import type { Running } from "../../fixtures/binary.ts"
import { DEV_KEYS } from "../../fixtures/chain.ts"
import { openChromium, openPage, VIEWS } from "../../fixtures/chromium.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { ROOT } from "../../fixtures/imports.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { ORGANIZATION, openTestOperator, type TestOperator } from "../../fixtures/test-operator.ts"
import { cuttingProxy } from "./cutting-proxy.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(60_000)

const HERE = import.meta.dir
const workspace = freshDirectory()
const path = (name: string) => join(workspace.path, name)
let operator: TestOperator
let server: Running
let serial = 0

beforeAll(async () => {
  operator = await openTestOperator()
  server = await operator.serve()
  for (const name of ["client.mjs", "verifier.mjs"]) {
    writeFileSync(path(name), await (await fetch(`${server.origin}/v1/agent/${name}`)).text())
  }
  symlinkSync(join(ROOT, "node_modules"), path("node_modules"))
  writeFileSync(path("buy.mjs"), readFileSync(join(HERE, "buy.mjs")))
  writeFileSync(path("wallet.mjs"), `export { privateKeyToAccount } from "viem/accounts"\n`)
  writeFileSync(
    path("main.mjs"),
    `import { readFileSync } from "node:fs"
import { buy } from "./buy.mjs"
import { privateKeyToAccount } from "./wallet.mjs"
const { given, key } = JSON.parse(readFileSync("given.json", "utf8"))
console.log(JSON.stringify(await buy(given, privateKeyToAccount(key))))\n`,
  )
})
afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  workspace[Symbol.dispose]()
})

/** What the operator and a person give the program. */
function given(proxy: string | null = null) {
  const { organizationId, organizationDigest } = ORGANIZATION
  return {
    server: server.origin,
    organizationKey: JSON.parse(readFileSync(operator.path("mandate.key"), "utf8")),
    organization: { organizationId, organizationDigest },
    draft: draftFor(ORGANIZATION, { obligation: `CLIENT-${++serial}` }),
    proxy,
  }
}

async function runUnder(command: readonly string[], proxy: string | null = null): Promise<unknown> {
  writeFileSync(path("given.json"), JSON.stringify({ given: given(proxy), key: DEV_KEYS[3] }))
  const child = Bun.spawn([...command, "main.mjs"], { cwd: workspace.path, stdout: "pipe", stderr: "pipe" })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(err)
  return JSON.parse(out)
}

const BOUGHT = {
  limits: ["USAGE", "REFUSED", 0],
  decision: "ALLOW",
  isSame: true,
  verdict: "GOOD",
  machineAction: "RELEASE_PAYMENT",
  payments: 1,
  transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
}

/** Runs a purchase and says how many transfers it made. */
async function counted<Result>(purchase: () => Promise<Result>): Promise<[Result, number]> {
  const before = (await operator.transfers()).length
  const result = await purchase()
  return [result, (await operator.transfers()).length - before]
}

const deno = Bun.which("deno")
const node = Bun.which("node")
const RUNTIMES: readonly (readonly [name: string, command: readonly string[] | null])[] = [
  [node ? "node" : "node (NOT RUN: none on PATH)", node ? [node] : null],
  ["bun", [process.execPath]],
  [deno ? "deno" : "deno (NOT RUN: none on PATH)", deno ? [deno, "run", "--allow-all"] : null],
]

describe.each(RUNTIMES)("under %s", (_, command) => {
  test("from new keys to a verified and recovered decision, paid once", async () => {
    if (!command) return
    expect(await counted(() => runUnder(command))).toEqual([BOUGHT, 1])
  })
})

test("if every answer is lost once, one payment is signed, and it is sent again", async () => {
  await using proxy = await cuttingProxy(server.origin)
  const command = node ? [node] : [process.execPath]
  expect(await counted(() => runUnder(command, proxy.origin))).toEqual([BOUGHT, 1])
  expect(new Set(proxy.payments).size).toBe(1)
  expect(proxy.payments.length).toBeGreaterThan(1)
  // Challenge, proof, delegation, quote, payment, recovery, keys.
  expect(proxy.cuts()).toBeGreaterThanOrEqual(7)
})

test("a token that the service does not know is refused with the code of the service", async () => {
  const { createClient } = (await import(path("client.mjs"))) as typeof declared
  const client = createClient({ server: server.origin, store: { get: () => null, add: () => undefined } })
  const body = { schema_version: "1.0.0", token: `svc_at_${"A".repeat(43)}` }
  for (const country of ["US", "GB"] as const) {
    const failed = await client.token(country, "status", body).catch((error: declared.ClientError) => error)
    expect(failed).toMatchObject({ code: "REFUSED", message: expect.stringContaining("TOKEN_") })
  }
})

test("contact says what a draft of each product lacks", async () => {
  const { createClient } = (await import(path("client.mjs"))) as typeof declared
  const client = createClient({ server: server.origin, store: { get: () => null, add: () => undefined } })
  for (const id of PRODUCT_IDS) {
    expect(await client.contact(id, {})).toMatchObject({ product: id, status: "INPUT_REQUIRED" })
  }
})

test("in Chromium the same", async () => {
  const bundle = await Bun.build({ entrypoints: [path("wallet.mjs")], target: "browser", format: "esm" })
  const page = `<!doctype html><title>c</title><link rel="icon" href="data:,"><script type="module">
    import { buy } from "/client-test/buy.mjs"
    import { privateKeyToAccount } from "/client-test/wallet.mjs"
    window.buy = (given, key) => buy(given, privateKeyToAccount(key))
  </script>`
  const files: Readonly<Record<string, [type: string, body: string]>> = {
    "page.html": ["text/html", page],
    "wallet.mjs": ["text/javascript", await (bundle.outputs[0]?.text() ?? "")],
    ...Object.fromEntries(
      ["buy.mjs", "client.mjs", "verifier.mjs"].map((name) => [
        name,
        ["text/javascript", readFileSync(path(name), "utf8")] as [string, string],
      ]),
    ),
  }
  const browser = await openChromium()
  await using opened = await openPage(browser, "about:blank", VIEWS[2]!)
  // The page is of the server's origin, so that the browser lets it call the server.
  await opened.page.route(`${server.origin}/client-test/*`, (route) => {
    const [contentType, body] = files[new URL(route.request().url()).pathname.split("/").at(-1) ?? ""] ?? ["", ""]
    return route.fulfill({ contentType, body })
  })
  await opened.visit(`${server.origin}/client-test/page.html`)
  await opened.page.waitForFunction("window.buy !== undefined")
  const [bought, transfers] = await counted(() =>
    opened.page.evaluate(
      ([input, key]) => (globalThis as unknown as { buy: (a: unknown, b: unknown) => unknown }).buy(input, key),
      [given(), DEV_KEYS[3]] as const,
    ),
  )
  expect([bought, transfers]).toEqual([BOUGHT, 1])
  await browser.close()
})
