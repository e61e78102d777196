/** Servers with the records that the bodies of `provoked-rows.ts` name, and the rows that are never sold with how each is provoked. */
import { GB_PAYMENT_PRODUCT } from "../../schemas/gb/payment.ts"
import { PAYMENT_AUTHORIZATION_PRODUCT } from "../../schemas/us/payment-authorization.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { SUPPLIER_APPROVAL_PRODUCT } from "../../schemas/us/supplier-approval.ts"
import { DAY, SECOND } from "../../src/core/time.ts"
import { companySubject } from "../../src/products/us/company-record.ts"
import { buyAnswer, type Purchase, usBody } from "../fixtures/answers.ts"
import { mandateKey, ORGANIZATION_ID } from "../fixtures/buyers.ts"
import { screeningFact } from "../fixtures/decision.ts"
import { enterAnswer } from "../fixtures/enter-answer.ts"
import { GB_NUMBER, GB_PAYEE, GB_PRIOR, gbChangeBody } from "../fixtures/gb.ts"
import { PRODUCT_ROWS, type ProductRow, purchaseOf } from "../fixtures/products.ts"
import { freshRequest, type TestServer } from "../fixtures/test-server.ts"
import { CURRENT_PAYEE, PROPOSED, VENDOR_CHANGE_PATH, vendorChangeBody } from "../fixtures/vendor-change.ts"
import { openProductServers, type ProductServers } from "./product-servers.ts"
import { at, type Body, bought, NAMED, PROVOKED, QUOTED } from "./provoked-rows.ts"

export async function openProvokingServers(): Promise<ProductServers> {
  const servers = await openProductServers()
  await enterRecords(servers.servers[0])
  return servers
}

async function enterRecords(server: TestServer): Promise<void> {
  const approval = { product: SUPPLIER_APPROVAL_PRODUCT, ...companySubject(usBody().company) }
  await enterAnswer(server, { ...approval, executionId: NAMED.endedApproval, validUntil: at(-DAY) })
  const facts = { sources: [], screening: screeningFact(), registration: null }
  await enterAnswer(server, { ...approval, executionId: NAMED.otherApproval, subject: "uei:ANOTHERSUPP1", facts })
  const gb = { product: GB_PAYMENT_PRODUCT, subject: GB_NUMBER }
  await enterAnswer(server, { ...gb, executionId: NAMED.gbOtherPayee, payeeFingerprint: PROPOSED.fingerprint })
  await enterAnswer(server, { ...gb, executionId: NAMED.gbLate, payeeFingerprint: GB_PAYEE, decidedAt: at(0) })
  const us = { product: PAYMENT_AUTHORIZATION_PRODUCT, ...companySubject(vendorChangeBody().company) }
  await enterAnswer(server, { ...us, executionId: NAMED.usOtherPayee, payeeFingerprint: PROPOSED.fingerprint })
  await enterAnswer(server, { ...us, executionId: NAMED.usLate, payeeFingerprint: CURRENT_PAYEE, decidedAt: at(0) })

  const change = gbChangeBody({ prior_authorization_reference: GB_PRIOR })
  bought.gbChallenge = change.challenge.reference
  const gbRow = rowOf("gb.vendor.payment_detail_change.authorize.v1")
  await approved(server, purchaseOf(gbRow, change))
  const usChange = vendorChangeBody()
  bought.usChallenge = usChange.challenge.reference
  bought.revoked = await approved(server, { path: VENDOR_CHANGE_PATH, body: usChange })
  await revokeChange(server, bought.revoked)
}

/** A purchase whose answer lets its payer continue; returns the execution id. */
export async function approved(server: TestServer, purchase: Purchase): Promise<string> {
  const { status, text, answer } = await buyAnswer(server, purchase)
  if (status !== 200 || answer.decision !== "APPROVE") throw new Error(`not approved: ${status} ${text}`)
  return answer.execution_id
}

/** The holder takes an authorization of a change back. */
export async function revokeChange({ database }: Pick<TestServer, "database">, id: string): Promise<void> {
  await database.write(
    "UPDATE authorization_token SET state = 'REVOKED', changed_at = 't', revocation_reason = 'SUPERSEDED', idempotency_key = 'k', request_digest = 'd' WHERE execution_id = ?",
    id,
  )
}

export function rowOf(product: string): ProductRow {
  const row = PRODUCT_ROWS.find(({ id }) => id === product)
  if (!row) throw new Error(`no row of ${product}`)
  return row
}

/** A row that is never sold, for one of its origins. */
export interface ProvokedRow {
  readonly product: string
  readonly code: string
  readonly origin: string
  /** What a call with a body that fires the row gets. */
  readonly status: number
  /** True if the unpaid call gets a quote, because only the payer's signature shows whose record the request names. */
  readonly quoted: boolean
  /** Runs with a body that fires the row, on this server. */
  during<T>(server: TestServer, run: (purchase: Purchase) => Promise<T>): Promise<T>
}

const STATUS: Readonly<Record<string, number>> = { BODY: 422, EVIDENCE_ENDED: 200, OWN_RECORDS: 409 }

/** Of the answer products. */
export const PROVOKED_ANSWERS: readonly ProvokedRow[] = Object.entries(PROVOKED).flatMap(([product, rows]) =>
  Object.entries(rows).map(([row, spoil]) => {
    const [code = "", origin = ""] = row.split(" ")
    const sold = rowOf(product)
    return {
      product,
      code,
      origin,
      status: STATUS[origin] ?? 0,
      quoted: QUOTED.has(`${product} ${code}`),
      during: (_server, run) => run(purchaseOf(sold, spoil(sold.body() as unknown as Body))),
    } satisfies ProvokedRow
  }),
)

const REVOKED_MANDATE = "mandate-revoked-late"

const decision = (
  code: string,
  origin: string,
  body: () => object,
  state: readonly [fires: string, again: string] = ["SELECT 1", "SELECT 1"],
): ProvokedRow => ({
  product: PAYMENT_DECISION_PRODUCT,
  code,
  origin,
  // The Payment Decision refuses with codes of the authority (design of decisions, "Before any quote").
  status: 403,
  quoted: false,
  async during({ database }, run) {
    await database.write(state[0])
    try {
      return await run(purchaseOf(rowOf(PAYMENT_DECISION_PRODUCT), body()))
    } finally {
      await database.write(state[1])
    }
  },
})

const PROVOKED_DECISIONS: readonly ProvokedRow[] = [
  decision("MANDATE_LIMIT_EXCEEDED", "BODY", () => freshRequest({ mandate: { max_payment_amount: "0.01" } })),
  decision("MANDATE_NOT_CURRENT", "BODY", () => freshRequest({ mandate: { valid_until: at(-SECOND) } })),
  decision("MANDATE_REVOKED", "OWN_RECORDS", () => freshRequest({ mandate: { mandate_id: REVOKED_MANDATE } }), [
    `INSERT INTO buyer_revocation VALUES ('${ORGANIZATION_ID}', 'MANDATE', '${REVOKED_MANDATE}', 'd', '{}', '{}', '${mandateKey.keyId}', 't')`,
    `DELETE FROM buyer_revocation WHERE subject_id = '${REVOKED_MANDATE}'`,
  ]),
  decision("DELEGATION_NOT_ACTIVE", "OWN_RECORDS", () => freshRequest({ request: { amount: "10.00" } }), [
    "UPDATE delegation SET state = 'REVOKED', revoked_at = 't' WHERE state = 'ACTIVE'",
    "UPDATE delegation SET state = 'ACTIVE', revoked_at = NULL WHERE revoked_at = 't'",
  ]),
]

export const PROVOKED_ROWS: readonly ProvokedRow[] = [...PROVOKED_ANSWERS, ...PROVOKED_DECISIONS]
