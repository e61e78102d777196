/**
 * The answer that a draft names as its supplier approval or as the authorization that it changes or continues, as if the payer of the sandbox
 * had bought it a day earlier. A rehearsal reads no record of the service's own, and a request that names none is not sold.
 */
import { GB_PAYMENT_PRODUCT } from "../../../schemas/gb/payment.ts"
import { PAYMENT_AUTHORIZATION_PRODUCT } from "../../../schemas/us/payment-authorization.ts"
import { SUPPLIER_APPROVAL_PRODUCT } from "../../../schemas/us/supplier-approval.ts"
import { digestOf } from "../../core/digest.ts"
import { formatId, ID_RANDOM_BYTES } from "../../core/ids.ts"
import { isObject, type JsonValue } from "../../core/strict-json.ts"
import { DAY, formatInstant } from "../../core/time.ts"
import { companySubject } from "../../products/us/company-record.ts"
import { SCORER_VERSION } from "../../sources/screening/parameters.ts"
import type { Unit } from "../../store/engine/unit.ts"
import { keepAnswerRecord } from "../../store/sales/answer-records.ts"
import { keepComputed } from "../../store/sales/deliveries.ts"
import { openPurchase } from "../../store/sales/purchase-moves.ts"
import { claimRequest } from "../../store/sales/requests.ts"
import { joinSupplier } from "../../store/sales/supplier-joins.ts"
import type { Sandbox } from "../open-sandbox.ts"
import type { SandboxBoards } from "../synthetic-boards.ts"
import type { Members } from "./fill-required.ts"

const VALID_DAYS = 29

interface Assumed {
  readonly executionId: string
  readonly product: string
  readonly subject: string
  readonly nameKey: string
  readonly payeeFingerprint: string | null
}

/** `body` has passed the schema of its product. Returns false if it names no earlier answer. */
export async function assumeEarlierAnswer(sandbox: Sandbox, boards: SandboxBoards, body: Members): Promise<boolean> {
  const assumed = assumedBy(body)
  if (!assumed) return false
  const { machine, chain, service } = sandbox
  const now = machine.now()
  const at = formatInstant(now - DAY)
  const validUntil = formatInstant(now + VALID_DAYS * DAY)
  const owner = chain.payer.address.toLowerCase()
  const id = (prefix: Parameters<typeof formatId>[0]) => formatId(prefix, machine.random(ID_RANDOM_BYTES))
  const [requestId, purchaseId, deliveryReference] = [id("drq"), id("att"), id("dlv")]
  const digest = digestOf(requestId)
  const { product, executionId: answerId } = assumed
  await service.store.run(function* (): Unit<void> {
    const owners = { organizationId: null, agentId: null, keyId: null, amountMillionths: null }
    const digests = { requestDigest: digest, bodyDigest: digest, rawBodyDigest: null }
    const content = { scope: owner, idempotencyKey: answerId, requestJson: "{}", createdAt: at }
    yield* claimRequest({ id: requestId, product, ...content, ...digests, ...owners })
    yield* openPurchase({ id: purchaseId, requestId, rail: "x402", createdAt: at })
    yield* keepComputed(
      {
        ...{ requestId, purchaseId, answerId, deliveryReference, validUntil, computedAt: at, keyId: "" },
        ...{ coreJson: "{}", capsuleJson: "{}", capsuleDigest: digest, attachmentId: null, attachmentJson: null },
        factsJson: JSON.stringify(clearFacts(boards, now)),
      },
      [],
    )
    const { subject, nameKey, payeeFingerprint } = assumed
    const supplierId = subject.includes(":")
      ? yield* joinSupplier({
          ...{ ownerId: owner, requestId, naming: { keys: [subject], nameKey, entityId: null }, decidedAt: at },
          ...{ destination: payeeFingerprint ?? "", keyId: null, registered: [], isVerified: false },
        })
      : null
    yield* keepAnswerRecord({
      ...{ supplierId, organizationSupplierId: null },
      ...{ ...assumed, requestId, owner, organizationId: null, keyId: null, coreDigest: digest },
      ...{ obligationKey: null, documentDigest: null, destinationFingerprint: null },
      ...{ decision: "APPROVE", decidedAt: at, validUntil },
    })
  })
  return true
}

/** The party was clear on the lists of today. */
function clearFacts({ sources }: SandboxBoards, now: number) {
  return {
    sources: sources
      .states(now)
      .flatMap(({ sourceId, snapshot }) =>
        snapshot ? [{ source_id: sourceId, source_version: snapshot.sourceVersion }] : [],
      ),
    screening: { state: "CLEAR", scorer_version: SCORER_VERSION, hits: [] },
    registration: null,
  }
}

function assumedBy(body: Members): Assumed | null {
  const { company_number: number, company, vendor_change: inner } = body
  const change = isObject(inner) ? inner : body
  const executionId = textOf(body["supplier_approval_reference"]) ?? textOf(change["prior_authorization_reference"])
  if (executionId === null) return null
  const payeeFingerprint = textOf(change["current_payee_fingerprint"])
  if (typeof number === "string") {
    return { executionId, product: GB_PAYMENT_PRODUCT, subject: number, nameKey: "", payeeFingerprint }
  }
  const { subject, nameKey } = companySubject(company as unknown as Parameters<typeof companySubject>[0])
  const product = payeeFingerprint === null ? SUPPLIER_APPROVAL_PRODUCT : PAYMENT_AUTHORIZATION_PRODUCT
  return { executionId, product, subject, nameKey, payeeFingerprint }
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === "string" ? value : null
}
