/**
 * Sells every product once, in this process, to the buyer of the tests. Clock and randomness are fixed here and nowhere else, so every
 * id, time, digest and signature of an answer is the same in each run, and every signature is genuine: the test issuer key signs it.
 */

import type { Hex } from "viem"
import { CAPSULE_HEADER } from "../../schemas/answer-capsule.ts"
import type { PaymentRequired } from "../../schemas/x402.ts"
import { type Machine, realMachine } from "../../src/base/machine.ts"
import { digestOf } from "../../src/core/digest.ts"
import { HOUR, MINUTE, SECOND } from "../../src/core/time.ts"
import { type ExampleCall, PUBLISHED_EXAMPLE } from "../../src/products/common/example-call.ts"
import { PRODUCTS, type Product } from "../../src/products/products.ts"
import { EXAMPLE_COMPANY } from "../../src/products/us/example-members.ts"
import { signPayment } from "../../test/fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../../test/fixtures/chain.ts"
import { signedRequest } from "../../test/fixtures/decision.ts"
import { PRODUCT_ROWS, type ProductRow, purchaseOf } from "../../test/fixtures/products.ts"
import { newDatabaseOn } from "../../test/fixtures/test-database.ts"
import { decodeHeader, enterBuyer, ORIGIN, openTestServer, paymentHeader } from "../../test/fixtures/test-server.ts"
import { changeKey, enterChangeKey } from "../../test/fixtures/vendor-change.ts"
import { serveModelChain } from "./serve-model-chain.ts"

/** The time of the first sale, which is the time of the published examples. */
const FIRST_AT = PUBLISHED_EXAMPLE.at
/** Time between two sales: the challenge of a change must be later than the authorization it names. */
const STEP = 10 * MINUTE

export interface Sale {
  readonly row: ProductRow
  readonly request: object
  /** Headers of the request beside those of every JSON body and of the payment. */
  readonly headers: Readonly<Record<string, string>>
  /** The body of the 200, as the server sent it. */
  readonly answer: Readonly<Record<string, unknown>>
  /** The header with the signed capsule; null for the Payment Decision, whose answer has the capsule in it. */
  readonly capsule: string | null
}

/** Execution ids of the answers that were bought before, by product id. */
type Bought = ReadonlyMap<string, string>

/** Members of a request that name an answer that was bought before, each with its product. */
const EARLIER: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "us.payment.authorize.v1": { supplier_approval_reference: "us.supplier.approve.v1" },
  "us.vendor.authorization.continue.v1": { prior_authorization_reference: "us.payment.authorize.v1" },
  "gb.vendor.payment_detail_change.authorize.v1": { prior_authorization_reference: "gb.business.payment.authorize.v1" },
}

/** The order of the sales, because a request may name an earlier answer: the US parts, the Payment Decision, then the UK. */
function inOrderOfSale(): readonly Product[] {
  const rank = ({ answer, paid }: Product) => (paid.product?.jurisdiction === "GB" ? 2 : answer === null ? 1 : 0)
  return PRODUCTS.toSorted((one, other) => rank(one) - rank(other))
}

/**
 * The published example with such a reference in place of the invented one. The Payment Decision is about an invoice of its own, because the
 * US payment authorizes the other.
 */
function requestOf({ id, answer, example }: Product, call: ExampleCall, bought: Bought): object {
  if (answer === null) return decisionRequest(call)
  const parts = { call, agent: changeKey, mandate: null, audience: ORIGIN, companyNumber: undefined }
  const names = Object.entries(EARLIER[id] ?? {}).map(([member, product]) => [member, bought.get(product)] as const)
  return { ...example(parts), ...Object.fromEntries(names) }
}

function decisionRequest({ at, key }: ExampleCall): object {
  return signedRequest({
    at,
    request: {
      idempotency_key: key,
      decision_fee_payer: DEV_ACCOUNTS.payer.address,
      // The company whose payee the answer before verified: a decision finds that answer by the identifier.
      supplier: { entity_id: "supplier:example-1", ...EXAMPLE_COMPANY },
      invoice: { obligation_id: "INV-2026-0043", document_digest: digestOf("invoice 43") },
    },
  })
}

/** Returns one sale of each product. */
export async function sellProducts(): Promise<Sale[]> {
  const database = await newDatabaseOn("sqlite")
  const chain = serveModelChain(FIRST_AT)
  let now = FIRST_AT
  const clock = () => now
  const server = await openTestServer(database, chain, { machine: fixedMachine(clock) })
  try {
    await enterBuyer(server, FIRST_AT)
    await enterChangeKey(server, {}, { at: FIRST_AT - HOUR })
    const bought = new Map<string, string>()
    const sales: Sale[] = []
    for (const product of inOrderOfSale()) {
      const row = PRODUCT_ROWS.find(({ id }) => id === product.id)
      if (!row) throw new Error(`no row of the tests for ${product.id}`)
      const key = `order-2026-${String(sales.length + 1).padStart(4, "0")}`
      const sale = await sell(server, row, requestOf(product, { at: now, key }, bought), now)
      bought.set(product.id, String(sale.answer["execution_id"]))
      sales.push(sale)
      now += STEP
      chain.mineAt(now)
    }
    return sales
  } finally {
    await server.close()
    await database.close()
    await chain.stop()
  }
}

type Seller = Pick<Awaited<ReturnType<typeof openTestServer>>, "post">

/** Throws if the answer is not a 200. */
async function sell(server: Seller, row: ProductRow, request: object, at: number): Promise<Sale> {
  const { path, body, headers = {} } = purchaseOf(row, request)
  const quote = await server.post(body, headers, path)
  if (quote.status !== 402) throw new Error(`${row.id}: ${quote.status} ${await quote.text()}`)
  const [terms] = decodeHeader<PaymentRequired>(quote.headers.get("payment-required")).accepts
  if (!terms) throw new Error(`${row.id}: a quote without terms`)
  const nonce: Hex = `0x${digestOf(`payment of ${row.id}`).slice("sha256:".length)}`
  const payment = await signPayment(DEV_ACCOUNTS.payer, terms, at / SECOND, { nonce })
  const paid = await server.post(body, { ...headers, ...paymentHeader(payment) }, path)
  const text = await paid.text()
  if (paid.status !== 200) throw new Error(`${row.id}: ${paid.status} ${text}`)
  return { row, request, headers, answer: JSON.parse(text), capsule: paid.headers.get(CAPSULE_HEADER) }
}

/** Its random bytes are digests of a counter. */
function fixedMachine(now: () => number): Machine {
  let drawn = 0
  const block = () => Buffer.from(digestOf(`random ${drawn++}`).slice("sha256:".length), "hex")
  return {
    ...realMachine,
    now,
    random: (byteLength) => {
      const blocks = Array.from({ length: Math.ceil(byteLength / 32) }, block)
      return new Uint8Array(Buffer.concat(blocks).subarray(0, byteLength))
    },
  }
}
