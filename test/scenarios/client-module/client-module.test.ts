/** The published client module under Node, Bun, Deno and Chromium, against a real server and chain: from new keys to a recovered decision. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { privateKeyToAccount } from "viem/accounts"
import { PRODUCT_IDS } from "../../../schemas/products.ts"
import { draftFor } from "../../../scripts/demo/drafts.ts"
import type * as declared from "../../../src/agent/module/client.d.ts"
import { digestOf } from "../../../src/core/digest.ts"
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
  ended: ["MANDATE REVOKED", "DELEGATION REVOKED"],
  rotated: true,
  revoked: "IDENTITY",
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
  // Challenge, proof, delegation, quote, payment, recovery, keys, two revocations, two more proofs.
  expect(proxy.cuts()).toBeGreaterThanOrEqual(11)
})

/** Buys a vendor change and returns its token with the values that it is bound to. */
async function boughtChange(client: declared.Client, keys: declared.AgentKeys) {
  const { signVendorChange } = (await import(path("client.mjs"))) as typeof declared
  const product = "us.vendor.payment_detail_change.authorize.v1"
  const published = await fetch(`${server.origin}/v1/us/vendors/payment-details/authorize-change/example`)
  const { example } = (await published.json()) as { example: declared.JsonObject }
  const { requesting_agent: _, idempotency_key: __, ...draft } = example
  const { challenge } = draft as { challenge: declared.JsonObject }
  const request = signVendorChange({
    keys,
    draft: {
      ...draft,
      audience: server.origin,
      buyer: { organization_id: ORGANIZATION.organizationId, organization_digest: ORGANIZATION.organizationDigest },
      current_payee_fingerprint: null,
      proposed_payee_fingerprint: digestOf(++serial),
      prior_authorization_reference: null,
      challenge: { ...challenge, reference: `call-back-${serial}` },
    },
  })
  const quote = await client.quote(product, request)
  if (quote.kind !== "QUOTE") throw new Error(quote.reasonCodes.join())
  const wallet = privateKeyToAccount(DEV_KEYS[3]) as unknown as declared.Wallet
  const answer = await client.pay({ quote, request, wallet, limitAtomic: quote.amountAtomic })
  if (answer.kind !== "ANSWER") throw new Error(answer.reasonCodes.join())
  const { result } = answer.body as { result: Readonly<Record<string, declared.Json>> }
  const { authorization_token: token = null, supplier_key = null, proposed_payee_fingerprint = null } = result
  return {
    held: { schema_version: "1.0.0", token, idempotency_key: `of-token-${serial}` },
    binding: {
      ...{ supplier_key, proposed_payee_fingerprint, wallet: wallet.address },
      current_payee_fingerprint: null,
    },
  }
}

test("the token of a bought answer is read and redeemed once, and that of another one is revoked", async () => {
  const { createClient, createKeys } = (await import(path("client.mjs"))) as typeof declared
  const kept = new Map<string, string>()
  const store = {
    get: (name: string) => kept.get(name) ?? null,
    add: (name: string, text: string) => void kept.set(name, text),
  }
  const client = createClient({ server: server.origin, store })
  const keys = await client.enrol(createKeys(), () => undefined)
  const { organization, organizationKey } = given()
  await client.delegate({
    ...{ keys, organizationKey, ...organization, maxPayment: "50000" },
    scope: ["AUTHORIZE_DESTINATION_CHANGE"],
  })
  const state = async ({ held }: { held: declared.JsonObject }) => {
    const { schema_version, token } = held as Readonly<Record<string, declared.Json>>
    return (await client.token("US", "status", { schema_version: schema_version!, token: token! }))["token_state"]
  }
  const first = await boughtChange(client, keys)
  expect(await state(first)).toBe("ISSUED")
  const { held, binding } = first
  const wrong = { ...held, binding: { ...binding, proposed_payee_fingerprint: digestOf("another") } }
  const refused = await client.token("US", "redeem", wrong).catch((error: declared.ClientError) => error)
  expect(refused).toMatchObject({ code: "REFUSED", message: expect.stringContaining("TOKEN_BINDING_MISMATCH") })
  const redemption = { ...held, binding }
  const redeemed = await client.token("US", "redeem", redemption)
  expect(redeemed).toMatchObject({ token_state: "SPENT" })
  // A repetition after a lost answer spends nothing.
  expect(await client.token("US", "redeem", redemption)).toEqual({ ...redeemed, replayed: true })
  expect(await state(first)).toBe("SPENT")

  const second = await boughtChange(client, keys)
  const revocation = { ...second.held, reason: "CHANGE_WITHDRAWN" }
  expect(await client.token("US", "revoke", revocation)).toMatchObject({ token_state: "REVOKED" })
  expect(await state(second)).toBe("REVOKED")
  const late = client.token("US", "redeem", { ...second.held, idempotency_key: "too-late", binding: second.binding })
  expect(await late.catch((error: declared.ClientError) => error)).toMatchObject({
    code: "REFUSED",
    message: expect.stringContaining("TOKEN_REVOKED"),
  })
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
