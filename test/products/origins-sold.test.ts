/** What was authorized, verified or paid before is sold (rulings 90): every row of that origin is delivered over HTTP and charged. */
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test"
import { type DecisionRequest, PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { originsOf } from "../../src/checks/policy/origins.ts"
import { digestOf } from "../../src/core/digest.ts"
import { HOUR } from "../../src/core/time.ts"
import { PUBLISHED_POLICIES } from "../../src/products/published-policies.ts"
import { frontRun } from "../delivery/selling-bench.ts"
import { buyAnswer, freshKey, type Purchase } from "../fixtures/answers.ts"
import { destination } from "../fixtures/decision.ts"
import { signedUnderEarlierQuote } from "../fixtures/earlier-quote.ts"
import { purchaseOf } from "../fixtures/products.ts"
import { registerBoard, registered } from "../fixtures/register-board.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, listedParty, staticBoard, type TestServerOptions } from "../fixtures/test-server.ts"
import { vendorChangeBody } from "../fixtures/vendor-change.ts"
import { approved, openProvokingServers, rowOf } from "./origin-servers.ts"
import type { ProductServers } from "./product-servers.ts"
import { at, type Body } from "./provoked-rows.ts"
import { HIGH, newSupplier } from "./us/payment-decision/deliveries.ts"
import { again } from "./us/payment-decision/same-payment.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(30_000)

let servers: ProductServers
beforeAll(async () => {
  servers = await openProvokingServers()
  await servers.servers[0].database.write("UPDATE organization SET tolerance = 'HIGH'")
})
afterAll(() => servers.close())

const DECISION = PAYMENT_DECISION_PRODUCT
const PAYEE = "us.invoice_payee.verify.v1"
const AUTHORIZATION = "us.payment.authorize.v1"
const CONTINUATION = "us.vendor.authorization.continue.v1"
const OTHER_PLACE = destination(`0x${"cd".repeat(20)}`)

/** A body that fires the row. `hasMoved`: while the authorization is current it is not sold, only delivered after the money has moved. */
interface Fired {
  readonly body: object
  readonly hasMoved?: boolean
  /** The sources of the sale, if they differ from those of its past. */
  readonly sources?: Partial<TestServerOptions>
}

const buy = (product: string, body: object) => approved(servers.servers[0], purchaseOf(rowOf(product), body))

/** An answer about an invoice whose authorization has ended, and its body. */
async function ended(product: string): Promise<{ readonly company: unknown; readonly invoice: Body }> {
  const { id, ...named } = await current(product)
  await servers.servers[0].database.write(
    "UPDATE answer_record SET valid_until = ? WHERE execution_id = ?",
    at(-HOUR),
    id,
  )
  return named
}

async function current(product: string) {
  const body = rowOf(product).body() as unknown as { readonly company: unknown; readonly invoice: Body }
  return { id: await buy(product, body), company: body.company, invoice: body.invoice }
}

/** The rows about an invoice of one product. */
const invoiceRows = (product: string): Readonly<Record<string, () => Promise<Fired>>> => ({
  OBLIGATION_ALREADY_AUTHORIZED: async () => {
    const { company, invoice } = await current(AUTHORIZATION)
    return { body: { ...rowOf(product).body(), company, invoice }, hasMoved: product === AUTHORIZATION }
  },
  OBLIGATION_AUTHORIZED_BEFORE: async () => ({ body: { ...rowOf(product).body(), ...(await ended(AUTHORIZATION)) } }),
  OBLIGATION_DOCUMENT_CHANGED: async () => {
    const { company, invoice } = await ended(product)
    const document_digest = digestOf(freshKey())
    return { body: { ...rowOf(product).body(), company, invoice: { ...invoice, document_digest } } }
  },
  DOCUMENT_REUSED_FOR_OTHER_OBLIGATION: async () => {
    const { company, invoice } = await ended(product)
    return { body: { ...rowOf(product).body(), company, invoice: { ...invoice, obligation_id: freshKey() } } }
  },
})

/** A Payment Decision that allowed its payment; with `isCurrent` false its authorization has ended. */
async function decided(isCurrent = false): Promise<{ readonly request: DecisionRequest }> {
  const [server] = servers.servers
  const request = freshRequest({ request: { supplier: newSupplier(freshKey()), risk_policy: HIGH } })
  const { status, text } = await buyAnswer(server, purchaseOf(rowOf(DECISION), request))
  const { decision, decision_id } = JSON.parse(text)
  if (status !== 200 || decision !== "ALLOW") throw new Error(`not allowed: ${status} ${text}`)
  if (!isCurrent)
    await server.database.write(
      "UPDATE authorization_record SET decided_at = ?, valid_until = ? WHERE decision_id = ?",
      ...[at(-2 * HOUR), at(-HOUR), decision_id],
    )
  return { request }
}

const decide = (changes: Partial<DecisionRequest>): Fired => ({
  body: freshRequest({ request: { supplier: newSupplier(freshKey()), risk_policy: HIGH, ...changes } }),
})

const DECISION_ROWS: Readonly<Record<string, () => Promise<Fired>>> = {
  OBLIGATION_ALREADY_AUTHORIZED: async () => ({ body: again(await decided(true)), hasMoved: true }),
  OBLIGATION_AUTHORIZED_BEFORE: async () => ({ body: again(await decided()) }),
  OBLIGATION_DOCUMENT_CHANGED: async () => {
    const first = await decided()
    return { body: again(first, { invoice: { ...first.request.invoice, document_digest: digestOf(freshKey()) } }) }
  },
  DOCUMENT_REUSED_FOR_OTHER_OBLIGATION: async () => {
    const first = await decided()
    return { body: again(first, { invoice: { ...first.request.invoice, obligation_id: freshKey() } }) }
  },
  PAYMENT_INSTRUCTION_REUSED: async () => {
    const { payment_instruction_digest } = (await decided()).request
    return decide({ payment_instruction_digest })
  },
  DESTINATION_DIFFERS_FROM_PAYEE: async () => decide({ payment_destination: OTHER_PLACE }),
  DESTINATION_CHANGED_WITHOUT_AUTHORIZATION: async () => {
    const { supplier } = (await decided()).request
    return decide({ supplier, payee: OTHER_PLACE, payment_destination: OTHER_PLACE })
  },
  FIRST_PAYMENT_TO_DESTINATION: async () => decide({ risk_policy: { policy_id: "p", tolerance: "LOW" } }),
  PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED: async () => {
    const { supplier } = (await decided()).request
    const listed = listedParty({ names: [{ text: supplier.legal_name ?? "", kind: "primary" }] })
    return { ...decide({ supplier }), sources: { board: staticBoard([listed]) } }
  },
}

const HISTORY: Readonly<Record<string, Readonly<Record<string, () => Promise<Fired>>>>> = {
  [DECISION]: DECISION_ROWS,
  [PAYEE]: invoiceRows(PAYEE),
  [AUTHORIZATION]: invoiceRows(AUTHORIZATION),
  [CONTINUATION]: {
    PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED: async () => {
      const { company } = vendorChangeBody()
      const entry = registered("US_SAM_ENTITY", "uei", company.identifiers["uei"] ?? "", company.legal_name ?? "")
      const registers = registerBoard(["US_SAM_ENTITY"], [entry])
      const prior_authorization_reference = await servers.broken({ registers }, () =>
        buy("us.vendor.payment_detail_change.authorize.v1", vendorChangeBody({ company })),
      )
      return {
        body: { ...rowOf(CONTINUATION).body(), company, prior_authorization_reference },
        sources: { registers: registerBoard(["US_SAM_ENTITY"], []) },
      }
    },
  },
}

const rows = Object.entries(HISTORY).flatMap(([product, fired]) =>
  Object.entries(fired).map(([code, fire]) => [product, code, fire] as const),
)

test("the table has every row of what was authorized, verified or paid before", () => {
  const expected = PUBLISHED_POLICIES.filter(({ isInForce }) => isInForce).flatMap(({ product, document }) =>
    document.reasons.filter((row) => originsOf(row).includes("HISTORY")).map(({ code }) => `${product} ${code}`),
  )
  expect(rows.map(([product, code]) => `${product} ${code}`).sort()).toEqual([...new Set(expected)].sort())
})

test.each(rows)("%s %s is delivered and charged", async (product, code, fire) => {
  const { body, hasMoved = false, sources = {} } = await fire()
  const purchase = purchaseOf(rowOf(product), body)
  const before = (await servers.paid()).length
  const { status, text } = await servers.broken(sources, () => sold(product, purchase, hasMoved))
  const { reason_codes, billing, economic_activity } = JSON.parse(text)
  expect([status, reason_codes]).toEqual([200, expect.arrayContaining([code])])
  expect([(billing ?? economic_activity).charged, (await servers.paid()).length]).toEqual([true, before + 1])
})

async function sold(product: string, purchase: Purchase, hasMoved: boolean) {
  const [server] = servers.servers
  if (!hasMoved) return buyAnswer(server, purchase)
  const payment = await signedUnderEarlierQuote(server, rowOf(product), purchase)
  await frontRun(servers.chain, payment)
  return buyAnswer(server, purchase, payment)
}
