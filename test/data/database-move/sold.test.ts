/** What was sold before a move holds after it, and what was quoted before it is paid after it: there, and back again. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { PAYMENT_DECISION_PRODUCT } from "../../../schemas/us/payment-decision.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { tokenHash } from "../../../src/core/authorization-token.ts"
import { leafHash, verifyInclusion } from "../../../src/core/merkle-tree.ts"
import { sha256 } from "../../../src/core/sha256.ts"
import { DAY, formatInstant } from "../../../src/core/time.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import { type DataPaths, dataPaths } from "../../../src/data/data-paths.ts"
import { router } from "../../../src/http/router.ts"
import { authorizationTokens } from "../../../src/products/authorization-tokens/routes.ts"
import { answerBundles } from "../../../src/products/common/answer-bundles.ts"
import { exportBundle } from "../../../src/products/common/export-bundle.ts"
import { replayBundle } from "../../../src/products/common/replay-bundle.ts"
import { ANSWER_RULES } from "../../../src/products/products.ts"
import { decisionBundles } from "../../../src/products/us/payment-decision/decision-bundles.ts"
import { paymentDecisionRules } from "../../../src/products/us/payment-decision/replay-rules.ts"
import { activateKey } from "../../../src/store/identity/service-keys.ts"
import { inclusionPath, leafData, readTreeHead } from "../../../src/store/log/transparency-log.ts"
import { type Bought, buyAnswer, type Purchase, signedFor } from "../../fixtures/answers.ts"
import { type Chain, DEV_ACCOUNTS, startChain } from "../../fixtures/chain.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { PRODUCT_ROWS, prepareProducts, purchaseOf } from "../../fixtures/products.ts"
import { recoveryOf } from "../../fixtures/recovery.ts"
import { testShell } from "../../fixtures/shell.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { databaseAt, type TestDatabase } from "../../fixtures/test-database.ts"
import { enterBuyer, issuer, ORIGIN, openTestServer, type TestServer } from "../../fixtures/test-server.ts"
import { type EmptyServer, emptyServer, moveTo } from "./move-bench.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(120_000)

const root = freshDirectory()
const bundles = [answerBundles(ANSWER_RULES), decisionBundles(paymentDecisionRules)]

interface Sold {
  readonly product: string
  readonly body: object
  readonly purchase: Purchase
  readonly bought: Bought
  /** Of the answer that the same payment gets again. */
  readonly again: string
  readonly exported: string
}

interface Quoted {
  readonly product: string
  readonly purchase: Purchase
  readonly payment: Record<string, string>
}

/** The service on one database. */
interface Open {
  readonly server: TestServer
  readonly database: TestDatabase
  close(): Promise<void>
}

let chain: Chain
let paths: DataPaths
let target: EmptyServer
const sold: Sold[] = []
const quoted: Quoted[] = []
/** Path of the proof of each leaf, and the root, at the size of the log before the moves. */
let proofs: readonly string[] = []
let size = 0

async function openOn(address: string): Promise<Open> {
  const database = databaseAt(address)
  const server = await openTestServer(database, chain)
  return {
    server,
    database,
    close: async () => {
      await server.close()
      await database.close()
    },
  }
}

const idOf = ({ answer }: Bought) => {
  const { execution_id: execution, decision_id: decision } = answer as { execution_id?: string; decision_id?: string }
  return execution ?? decision ?? ""
}

async function exportedOf({ server }: Open, bought: Bought): Promise<string> {
  return new TextDecoder().decode((await exportBundle(server.store, idOf(bought), bundles)) ?? new Uint8Array())
}

async function proofsOf({ server }: Open): Promise<readonly string[]> {
  const found: string[] = []
  const { rootHash } = await server.store.read(readTreeHead)
  for (let index = 0; index < size; index++) {
    const { path, data } = await server.store.read(function* () {
      return { path: yield* inclusionPath(index, size), data: yield* leafData(index) }
    })
    found.push([...path, data ?? new Uint8Array()].map((bytes) => Buffer.from(bytes).toString("hex")).join(" "))
    const isLast = (await server.store.read(readTreeHead)).size === size
    if (!isLast || data === null) continue
    expect(verifyInclusion(sha256, { index, size, leafHash: leafHash(sha256, data), path, rootHash })).toBe(true)
  }
  return found
}

/** Redeems the token of an answer by the route of the service. */
async function redeem({ server, database }: Open, { bought, product }: Sold): Promise<Response> {
  const token = bought.answer.result["authorization_token"] as string
  const row = await database.row<{ binding: string }>(
    "SELECT binding_json AS binding FROM authorization_token WHERE token_hash = ?1",
    tokenHash(token),
  )
  const { shell } = testShell()
  const app = router(shell, authorizationTokens({ shell, store: server.store }))
  const body = {
    ...{ schema_version: "1.0.0", token, idempotency_key: `redeem-${product}` },
    binding: JSON.parse(row?.binding ?? "null"),
  }
  return app.handle(
    new Request(`${ORIGIN}/v1/${product.slice(0, 2)}/authorization-tokens/redeem`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  )
}

const withToken = () => sold.filter(({ bought }) => typeof bought.answer.result?.["authorization_token"] === "string")

/** Everything that must hold on the moved database. `at`: which of the quotes and tokens this stage uses up. */
async function expectHeld(open: Open, at: 0 | 1): Promise<void> {
  const paidBefore = (await chain.transfersTo(DEV_ACCOUNTS.payTo.address)).length
  for (const { product, body, purchase, bought, again, exported } of sold) {
    const answer = await open.server.post(purchase.body, { ...purchase.headers, ...bought.payment }, purchase.path)
    expect([product, answer.status, await answer.text()]).toEqual([product, 200, again])
    expect([product, await exportedOf(open, bought)]).toEqual([product, exported])
    const replayed = bundles.map((kind) => replayBundle(new TextEncoder().encode(exported), null, kind).conclusion)
    expect([product, replayed]).toEqual([product, expect.arrayContaining(["VALID"])])
    if (product !== PAYMENT_DECISION_PRODUCT) continue
    const recovered = await open.server.post(recoveryOf(body as never), {}, `${purchase.path}/recover`)
    expect([recovered.status, await recovered.text()]).toEqual([200, bought.text])
  }
  expect(await proofsOf(open)).toEqual(proofs)
  expect((await chain.transfersTo(DEV_ACCOUNTS.payTo.address)).length).toBe(paidBefore)
  for (const { product, purchase, payment } of quoted.filter((_, index) => index % 2 === at)) {
    const { status } = await buyAnswer(open.server, purchase, payment)
    expect([product, status]).toEqual([product, 200])
  }
  expect((await chain.transfersTo(DEV_ACCOUNTS.payTo.address)).length).toBe(paidBefore + PRODUCT_ROWS.length)
  const tokens = withToken()
  for (const one of tokens.filter((_, index) => index % 2 === at)) {
    const spent = await redeem(open, one)
    expect([one.product, spent.status, (await spent.json()).token_state]).toEqual([one.product, 200, "SPENT"])
  }
}

describe.skipIf(!HAS_POSTGRES)(`after a move of the database${NOT_RUN}`, () => {
  beforeAll(async () => {
    chain = await startChain()
    await chain.mint(DEV_ACCOUNTS.payer.address, 1_000_000_000n)
    await createDataDirectory(join(root.path, "data"), "test", realMachine, { logHost: "svc.example" })
    paths = dataPaths(join(root.path, "data"))
    target = await emptyServer(root.path)
    const open = await openOn(paths.database)
    const { server } = open
    await enterBuyer(server)
    await prepareProducts(server)
    const at = Date.now()
    await server.store.run(() =>
      activateKey({
        ...{ keyId: issuer.keyId, use: "statement", x: issuer.x, status: "ACTIVE", revokedSince: null },
        ...{ createdAt: formatInstant(at), notBefore: formatInstant(at - DAY), expiresAt: formatInstant(at + DAY) },
      }),
    )
    // A move needs the file of each active key.
    writeFileSync(join(paths.keys, `${issuer.keyId}.json`), "{}", { mode: 0o600 })
    for (const row of PRODUCT_ROWS) {
      for (let twice = 0; twice < 2; twice++) {
        const body = row.body()
        const purchase = purchaseOf(row, body)
        const bought = await buyAnswer(server, purchase)
        if (bought.status !== 200) throw new Error(`${row.id}: ${bought.status} ${bought.text}`)
        const repeated = await buyAnswer(server, purchase, bought.payment)
        const exported = await exportedOf(open, bought)
        sold.push({ product: row.id, body, purchase, bought, again: repeated.text, exported })
        const later = purchaseOf(row, row.body())
        quoted.push({ product: row.id, purchase: later, payment: await signedFor(server, later) })
      }
    }
    ;({ size } = await server.store.read(readTreeHead))
    proofs = await proofsOf(open)
    await open.close()
  })
  afterAll(async () => {
    await target.drop()
    await chain.stop()
    root[Symbol.dispose]()
  })

  test("to a server, and then back: every answer, token, quote and proof holds", async () => {
    expect(size).toBeGreaterThan(2 * PRODUCT_ROWS.length)
    expect(withToken().length).toBeGreaterThanOrEqual(4)
    const there = await moveTo(paths, target.file)
    const onServer = await openOn(target.url)
    await expectHeld(onServer, 0)
    await onServer.close()
    const back = await moveTo(paths, null)
    // The counts of sales have slots on a server.
    const slots = back.tables.find(({ table }) => table === "attempt_count")?.rows ?? 0
    expect(slots).toBeGreaterThan(there.tables.find(({ table }) => table === "attempt_count")?.rows ?? 0)
    const inFile = await openOn(paths.database)
    await expectHeld(inFile, 1)
    const counts = await inFile.database.row<{ n: number }>("SELECT sum(answers) AS n FROM decision_count")
    expect(counts?.n).toBe(4 * PRODUCT_ROWS.length)
    await inFile.close()
  })
})
