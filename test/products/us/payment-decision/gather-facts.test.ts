/**
 * The facts of a decision: this organization's own records, the evidence that is still valid, and today's lists, all stored so that it
 * replays.
 */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { formatInstant, HOUR, MINUTE } from "../../../../src/core/time.ts"
import { revokeMandateKey } from "../../../../src/store/buyers/buyer-registration.ts"
import { agentKey, enterOrganization, mandateKey, ORGANIZATION_ID, testKey } from "../../../fixtures/buyers.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { freshRequest, listedParty, staticBoard } from "../../../fixtures/test-server.ts"
import { age, type Bought, buyChecked, HIGH, newSupplier, raiseTolerance } from "./deliveries.ts"
import { enterDelegation, healthyBoard, openSeller, type Seller } from "./seller.ts"

const test = slowTests(import.meta.path)

const OTHER_ORGANIZATION = "org:example:other-buyer"
const otherKey = testKey(OTHER_ORGANIZATION, 71)
const replacement = testKey(ORGANIZATION_ID, 72)
const asOther = { organizationId: OTHER_ORGANIZATION, mandateSigner: otherKey }

let seller: Seller
beforeAll(async () => {
  seller = await openSeller()
  await enterOrganization(seller.server.store, Date.now() - HOUR, { id: OTHER_ORGANIZATION, keys: [otherKey] })
  await enterDelegation(seller, agentKey, { organization_id: OTHER_ORGANIZATION }, otherKey)
  await raiseTolerance(seller)
})
afterAll(() => seller.close())

const reference = ({ response }: Bought) => response.delivery.response_digest

describe("records of other organizations", () => {
  test("never become facts, even with the same supplier, obligation, document, instruction and entity id", async () => {
    const supplier = newSupplier()
    const mine = await buyChecked(seller, { request: { supplier, risk_policy: HIGH } })
    const { invoice, payment_instruction_digest } = mine.request
    const request = {
      supplier,
      risk_policy: HIGH,
      invoice,
      payment_instruction_digest,
      evidence_references: [reference(mine)],
    }
    const theirs = await buyChecked(seller, { ...asOther, request })
    expect(theirs.response.decision).toBe("ALLOW")
    await age(seller, mine)
    await age(seller, theirs)
    expect(theirs.facts).toMatchObject({
      earlier_decisions: [],
      known_destinations: [],
      resolved_references: [],
      prior_authorization: null,
    })
    const again = await buyChecked(seller, {
      request: { ...request, evidence_references: [reference(mine), reference(theirs)] },
    })
    expect(again.facts.earlier_decisions.map((one) => one.response_digest as string)).toEqual([reference(mine)])
    expect(again.facts.resolved_references.map((one) => one.reference as string)).toEqual([reference(mine)])
  })

  test("cause no collision by another organization's name for a supplier", async () => {
    const supplier = newSupplier()
    await buyChecked(seller, {
      ...asOther,
      request: { supplier: { ...supplier, legal_name: "Quiet Meadow Tools LLC" } },
    })
    const { facts } = await buyChecked(seller, { request: { supplier } })
    expect(facts.earlier_decisions).toEqual([])
  })
})

describe("the organization's own records", () => {
  test("give the authorizations of the same obligation, document or instruction, each once", async () => {
    const supplier = newSupplier()
    const elsewhere = await buyChecked(seller, { request: { supplier: newSupplier(), risk_policy: HIGH } })
    await buyChecked(seller, { request: { supplier } })
    const allowed = await buyChecked(seller, { request: { supplier, risk_policy: HIGH } })
    const { invoice, payment_instruction_digest } = elsewhere.request
    const { facts, response } = await buyChecked(seller, {
      request: {
        supplier,
        risk_policy: HIGH,
        invoice: { ...invoice, obligation_id: "INV-9" },
        payment_instruction_digest,
      },
    })
    expect(facts.earlier_decisions.map((one) => one.response_digest as string)).toEqual([reference(elsewhere)])
    expect(facts.known_destinations.map((one) => one.reference as string)).toEqual([reference(allowed)])
    expect(facts.prior_authorization?.response_digest as string).toBe(reference(allowed))
    expect(response.decision).toBe("HOLD")
  })

  test("store an obligation in the form used for comparison", async () => {
    const supplier = newSupplier()
    const invoice = { obligation_id: " Rechnung Stra\u00dfe\u200B 9 ", document_digest: `sha256:${"9".repeat(64)}` }
    await age(seller, await buyChecked(seller, { request: { supplier, invoice, risk_policy: HIGH } }))
    const again = { obligation_id: "RECHNUNG STRASSE 9", document_digest: `sha256:${"8".repeat(64)}` }
    const { facts } = await buyChecked(seller, { request: { supplier, invoice: again } })
    expect(facts.earlier_decisions[0]?.obligation_key).toBe("rechnungstrasse9")
  })

  test("keep an obligation authorized long ago, also behind hundreds of newer decisions", async () => {
    const supplier = newSupplier()
    const first = await buyChecked(seller, { request: { supplier, risk_policy: HIGH } })
    const { decision_request_id: id, decision_id } = first.response
    await age(seller, first)
    await seller.sql(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)
       INSERT INTO decision_request (id, product, scope, idempotency_key, request_digest, body_digest, request_json, state, created_at, updated_at)
       SELECT ?1 || i, product, scope, idempotency_key || i, request_digest || i, body_digest, '{}', 'DELIVERED', created_at, updated_at
       FROM n, decision_request WHERE id = ?1`,
      id,
    )
    await seller.sql(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)
       INSERT INTO authorization_record
       SELECT ?1 || i, organization_id, supplier_key, supplier_entity_id, supplier_name_key, obligation_key || i, document_digest || i,
         instruction_digest || i, payee_fingerprint, destination_fingerprint, mandate_key_id, decision, decision_id || i, response_digest || i,
         '2099' || substr(decided_at, 5), valid_until, supplier_id, NULL FROM n, authorization_record WHERE decision_id = ?2`,
      ...[id, decision_id],
    )
    const invoice = { ...first.request.invoice, document_digest: `sha256:${"ab".repeat(32)}` }
    const answer = await seller.buy(freshRequest({ request: { supplier, risk_policy: HIGH, invoice } }))
    expect(JSON.parse(answer.text).reason_codes).toContain("OBLIGATION_AUTHORIZED_BEFORE")
  })

  test("resolve an unknown reference to nothing, and a repeated one once", async () => {
    const supplier = newSupplier()
    const first = await buyChecked(seller, { request: { supplier } })
    const evidence_references = [reference(first), `sha256:${"1".repeat(64)}`, reference(first)]
    const { facts } = await buyChecked(seller, { request: { supplier, evidence_references } })
    expect(facts.resolved_references).toHaveLength(1)
  })
})

test("a supplier's last authorization is screened again on today's lists", async () => {
  const supplier = newSupplier("Copper Finch Metrology LLC")
  const first = await buyChecked(seller, { request: { supplier, risk_policy: HIGH } })
  expect([first.response.decision, first.facts.prior_authorization]).toEqual(["ALLOW", null])
  seller.useBoard(staticBoard([listedParty({ names: [{ text: "COPPER FINCH METROLOGY LLC", kind: "primary" }] })]))
  const { facts, response } = await buyChecked(seller, { request: { supplier, risk_policy: HIGH } })
  seller.useBoard(healthyBoard)
  expect(facts.prior_authorization).toMatchObject({ response_digest: reference(first), screening: { state: "MATCH" } })
  expect(response.decision).toBe("BLOCK")
  expect(response.reason_codes).toEqual([
    "RESTRICTED_PARTY_MATCH",
    "PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED",
    "LIMITED_COVERAGE",
  ])
})

test("each decision has its own ids and random bytes, and names the snapshots of its index", async () => {
  const { facts } = await buyChecked(seller, { request: { supplier: newSupplier() } })
  const other = (await buyChecked(seller, { request: { supplier: newSupplier() } })).facts
  for (const id of ["request_id", "decision_request_id", "decision_id", "delivery_reference"] as const) {
    expect(facts[id]).toMatch(/^(req|drq|dec|dlv)_[A-Za-z0-9_-]{22}$/)
    expect(other[id]).not.toBe(facts[id])
  }
  expect(facts.sources.map((source) => source.snapshot_id)).toEqual(
    facts.sources.map(({ source_id }) => `snap-${source_id}`),
  )
})

/** This test is last because it removes the organization's first key. */
test("destinations that rest on a compromised mandate key are dropped from the time of its loss, and older ones stay", async () => {
  const [before, since] = [newSupplier(), newSupplier()]
  const old = await buyChecked(seller, { request: { supplier: before, risk_policy: HIGH } })
  await seller.sql(
    "UPDATE authorization_record SET decided_at = ?2 WHERE decision_id = ?1",
    old.response.decision_id,
    formatInstant(Date.now() - 30 * MINUTE),
  )
  await seller.sql(
    "UPDATE supplier_identifier SET graded_at = ?2 WHERE request_id = ?1",
    old.response.decision_request_id,
    formatInstant(Date.now() - 30 * MINUTE),
  )
  await buyChecked(seller, { request: { supplier: since, risk_policy: HIGH } })
  const lostAt = formatInstant(Date.now() - 20 * MINUTE)
  await seller.sql(
    "INSERT INTO mandate_key (organization_id, key_id, x, key_owner, state, added_at) VALUES (?1, ?2, ?3, ?4, 'ACTIVE', 't')",
    ...[ORGANIZATION_ID, replacement.keyId, replacement.x, replacement.keyOwner],
  )
  await enterDelegation(seller, agentKey, {}, replacement)
  await seller.server.store.run(() =>
    revokeMandateKey({
      organizationId: ORGANIZATION_ID,
      keyId: mandateKey.keyId,
      since: lostAt,
      reason: "stolen",
      at: formatInstant(Date.now()),
    }),
  )
  const signed = { mandateSigner: replacement }
  const kept = await buyChecked(seller, { ...signed, request: { supplier: before } })
  expect([kept.response.decision, kept.facts.known_destinations.length]).toEqual(["ALLOW", 1])
  const dropped = await buyChecked(seller, { ...signed, request: { supplier: since } })
  expect(dropped.facts.known_destinations).toEqual([])
  expect(dropped.response.reason_codes).toEqual(["FIRST_PAYMENT_TO_DESTINATION", "LIMITED_COVERAGE"])
})
