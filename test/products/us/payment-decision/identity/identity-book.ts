/**
 * One organization's decisions through the product's own code, from the reserving unit to the record, without a chain: for histories that are
 * too many to buy.
 */
import type { DecisionCore } from "../../../../../schemas/us/decision-response.ts"
import { type DecisionRequest, PAYMENT_DECISION_PRODUCT } from "../../../../../schemas/us/payment-decision.ts"
import { ServiceError } from "../../../../../src/base/errors.ts"
import { realMachine } from "../../../../../src/base/machine.ts"
import { GATES } from "../../../../../src/checks/policy/gate.ts"
import { lastDestination } from "../../../../../src/checks/us/vendor-change.ts"
import { digestOf } from "../../../../../src/core/digest.ts"
import { formatInstant, HOUR, MINUTE } from "../../../../../src/core/time.ts"
import type { IfCovered } from "../../../../../src/delivery/covered-sale.ts"
import { readDestinations } from "../../../../../src/products/us/payment-decision/destinations.ts"
import { scopeOf, supplierNaming } from "../../../../../src/products/us/payment-decision/records.ts"
import { paymentDecisionSlice } from "../../../../../src/products/us/payment-decision/slice.ts"
import type { Registers } from "../../../../../src/products/us/registration.ts"
import type { SourceBoard } from "../../../../../src/sources/boards/source-board.ts"
import { NO_SUPPRESSIONS } from "../../../../../src/sources/screening/suppress.ts"
import { keepAnswerRecord } from "../../../../../src/store/sales/answer-records.ts"
import { dropHolds, spendHolds } from "../../../../../src/store/sales/holds.ts"
import { claimRequest, forgetRequest } from "../../../../../src/store/sales/requests.ts"
import { joinSupplier } from "../../../../../src/store/sales/supplier-joins.ts"
import { readAnchors, readSupplierSet } from "../../../../../src/store/sales/supplier-sets.ts"
import { issueToken } from "../../../../../src/store/tokens/authorization-tokens.ts"
import { ORGANIZATION_ID } from "../../../../fixtures/buyers.ts"
import { destination, signedRequest } from "../../../../fixtures/decision.ts"
import { newDatabase } from "../../../../fixtures/new-store.ts"
import { databaseAt } from "../../../../fixtures/test-database.ts"
import { enterBuyer, issuer, listedParty, ORIGIN, staticBoard } from "../../../../fixtures/test-server.ts"

export type Tolerance = "LOW" | "MEDIUM" | "HIGH"

/** How a request names its supplier, and where it pays. */
export interface SupplierPayment {
  readonly identifiers: Readonly<Record<string, string>>
  /** undefined: none. */
  readonly name: string | undefined
  readonly entity: string
  readonly to: string
}

/** `code` of the refusal, else the core of the decision. */
export type Answered = { readonly code: string } | { readonly core: DecisionCore }

const PAYER = `0x${"11".repeat(20)}`
const board = staticBoard([listedParty()])
const AT = Date.now()
/** Everything that one history writes, children first. */
const WRITTEN = [
  ...["record_anchor", "supplier_distinct", "supplier_entity", "supplier_name", "supplier_identifier", "supplier"],
  ...[
    "spent_change",
    "authorization_token",
    "answer_record",
    "authorization_record",
    "authority_hold",
    "decision_request",
  ],
]

const SETTLED = { network: "eip155:8453", reference: `eip155:8453/tx/0x${"5e".repeat(32)}` } as const

export type IdentityBook = Awaited<ReturnType<typeof openIdentityBook>>

/** `shared`: a database that other processes use too. One of them enters the buyer. Ids begin with `name`. `sources`: the lists. */
export async function openIdentityBook(
  registers: Registers,
  shared: { readonly address: string; readonly name: string; readonly isFirst: boolean } | null = null,
  sources: SourceBoard = board,
) {
  const database = shared ? databaseAt(shared.address) : await newDatabase()
  const name = shared?.name ?? ""
  const { store } = await database.open()
  if (shared === null || shared.isFirst) {
    await enterBuyer({ store, database }, AT)
    await database.write("UPDATE organization SET tolerance = 'HIGH'")
  }
  let serial = 0
  let tolerance: Tolerance = "HIGH"
  const { paid: product } = paymentDecisionSlice({
    machine: realMachine,
    sources,
    suppressions: () => NO_SUPPRESSIONS,
    registers,
    environment: "test",
    signer: () => issuer,
    baseUrl: () => ORIGIN,
  })

  function requestOf(
    { identifiers, name: legalName, entity, to }: SupplierPayment,
    references: readonly string[],
  ): DecisionRequest {
    const target = destination(to)
    const id = `${name}${++serial}`
    return signedRequest({
      at: AT,
      request: {
        decision_fee_payer: PAYER,
        idempotency_key: `order-of-book-${id}`,
        supplier: { entity_id: entity, ...(legalName === undefined ? {} : { legal_name: legalName }), identifiers },
        payee: target,
        payment_destination: target,
        invoice: { obligation_id: `INV-${id}`, document_digest: digestOf(`invoice ${id}`) },
        payment_instruction_digest: digestOf(`instruction ${id}`),
        risk_policy: { policy_id: "buyer-default", tolerance },
        evidence_references: [...references],
      },
      mandate: { mandate_id: `mandate-${id}`, nonce: `nonce-${id}`.padEnd(24, "x") },
    })
  }

  function newRow(id: string, product: string, request: unknown) {
    const digest = digestOf(id)
    return {
      id,
      product,
      scope: id,
      idempotencyKey: id,
      requestDigest: digest,
      bodyDigest: digest,
      rawBodyDigest: null,
      requestJson: JSON.stringify(request),
      organizationId: ORGANIZATION_ID,
      agentId: null,
      keyId: null,
      amountMillionths: null,
      createdAt: formatInstant(AT),
    }
  }

  /** Later decisions have later times. */
  const now = () => AT + serial

  /** Reserves and decides, and leaves open whether it is paid. `ifCovered` DECIDE: the money has moved. */
  async function begun(payment: SupplierPayment, references: readonly string[], ifCovered: IfCovered) {
    const request = requestOf(payment, references)
    const id = `drq_${name}${serial}`
    const stored = {
      ...newRow(id, PAYMENT_DECISION_PRODUCT, request),
      scope: scopeOf(request),
      requestDigest: request.buyer_mandate.payload.request_digest,
    }
    const drop = () => store.run(() => dropHolds(id))
    const forget = async () => {
      await drop()
      await store.run(() => forgetRequest(id))
    }
    const reserved = await store.run(function* () {
      yield* claimRequest(stored)
      return yield* product.reserve(stored, now(), ifCovered)
    })
    if ("refused" in reserved) {
      await forget()
      return { answer: { code: reserved.refused } }
    }
    try {
      const computed = await product.compute(stored, reserved.records, now())
      const delivery = { ...computed, requestId: id, purchaseId: "p" }
      /** As if it was paid. */
      const keep = () =>
        store.run(function* () {
          yield* spendHolds(id)
          yield* product.remember(stored, delivery, product.finish(delivery, SETTLED))
        })
      return { answer: { core: JSON.parse(computed.coreJson) as DecisionCore }, paid: { id, keep, drop, forget } }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      await forget()
      return { answer: { code: error.code } }
    }
  }

  async function answer(payment: SupplierPayment, references: readonly string[], isPaid: boolean): Promise<Answered> {
    const { answer, paid } = await begun(payment, references, "NAME")
    await (isPaid ? paid?.keep() : paid?.forget())
    return answer
  }

  /** A change authorization for this supplier and destination, as its delivery would leave it. Returns its reference. */
  async function authorizeChange(payment: SupplierPayment): Promise<string> {
    const request = requestOf(payment, [])
    const id = `drq_${name}${serial}`
    const [executionId, coreDigest, at] = [`exe_${serial}`, digestOf(`change ${serial}`), formatInstant(now())]
    const { fingerprint } = request.payment_destination
    await store.run(function* () {
      yield* claimRequest(newRow(id, GATES.VENDOR_CHANGE, { company: request.supplier }))
      const set = yield* readSupplierSet(ORGANIZATION_ID, supplierNaming(request))
      const anchors = yield* readAnchors(ORGANIZATION_ID, set)
      const known = yield* readDestinations(request, { set, anchors, at: now() })
      const last = lastDestination(known.filter((one) => one.same_supplier))
      const naming = { ...supplierNaming(request), entityId: null }
      const delivered = {
        requestId: id,
        naming,
        destination: fingerprint,
        decidedAt: at,
        registered: [],
        isVerified: false,
      }
      yield* keepAnswerRecord({
        requestId: id,
        product: GATES.VENDOR_CHANGE,
        owner: PAYER,
        organizationId: ORGANIZATION_ID,
        keyId: "change-key",
        executionId,
        coreDigest,
        subject: naming.keys[0] ?? "",
        nameKey: naming.nameKey,
        obligationKey: null,
        documentDigest: null,
        payeeFingerprint: fingerprint,
        destinationFingerprint: fingerprint,
        decision: "APPROVE",
        decidedAt: at,
        validUntil: formatInstant(AT + HOUR),
        supplierId: yield* joinSupplier({ ...delivered, ownerId: PAYER, keyId: null }),
        organizationSupplierId: yield* joinSupplier({ ...delivered, ownerId: ORGANIZATION_ID, keyId: "change-key" }),
      })
      yield* issueToken({
        tokenHash: serial.toString(16).padStart(64, "0"),
        requestId: id,
        executionId,
        product: GATES.VENDOR_CHANGE,
        country: "US",
        kind: "VENDOR_CHANGE",
        bindingJson: JSON.stringify({ current_payee_fingerprint: last?.fingerprint ?? null }),
        wallet: PAYER,
        evidenceReference: coreDigest,
        issuedAt: at,
        expiresAt: formatInstant(AT + 30 * MINUTE),
      })
    })
    return coreDigest
  }

  return {
    database,
    begun,
    decide: (payment: SupplierPayment) => answer(payment, [], false),
    deliver: async (payment: SupplierPayment, isAuthorized = false) =>
      answer(payment, isAuthorized ? [await authorizeChange(payment)] : [], true),
    /** Forgets everything, for the next history. */
    async begin(next: Tolerance) {
      for (const table of WRITTEN) await database.write(`DELETE FROM ${table}`)
      tolerance = next
    },
    async close() {
      await store.close()
      await database.close()
    },
  }
}
