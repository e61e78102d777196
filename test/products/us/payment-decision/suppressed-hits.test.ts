/** An operator's judgement that a supplier is not a listed entry, in decisions that were paid for. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import { canonicalize } from "../../../../src/core/canonical-json.ts"
import { formatInstant, HOUR } from "../../../../src/core/time.ts"
import { exportBundle } from "../../../../src/products/common/export-bundle.ts"
import { replayBundle } from "../../../../src/products/common/replay-bundle.ts"
import { decisionBundles } from "../../../../src/products/us/payment-decision/decision-bundles.ts"
import { paymentDecisionRules } from "../../../../src/products/us/payment-decision/replay-rules.ts"
import { supplierQuery } from "../../../../src/products/us/screening.ts"
import { bookOf, recordDigestOf } from "../../../../src/sources/boards/suppression-book.ts"
import { entryHash, NO_SUPPRESSIONS, screenedPartyDigest } from "../../../../src/sources/screening/suppress.ts"
import { listedParty, staticBoard } from "../../../fixtures/test-server.ts"
import { buyChecked, HIGH, newSupplier, raiseTolerance } from "./deliveries.ts"
import { openSeller, type Seller } from "./seller.ts"

let seller: Seller
beforeAll(async () => {
  seller = await openSeller()
  await raiseTolerance(seller)
  seller.useBoard(staticBoard([listed]))
})
afterAll(() => seller.close())

const listed = listedParty({ names: [{ text: "HARBOR LIGHT INSTRUMENTS OVERSEAS LLC", kind: "primary" }] })

function judge(supplier: ReturnType<typeof newSupplier>, expiresAt = Date.now() + HOUR) {
  const query = supplierQuery(supplier, "HIGH")
  const row = {
    suppressionId: "sup_AAAAAAAAAAAAAAAAAAAAAA",
    partyDigest: screenedPartyDigest(query) ?? "",
    party: canonicalize(query),
    sourceId: listed.sourceId,
    entryId: listed.entryId,
    entryHash: entryHash(listed),
    author: "R. Reviewer",
    reason: "another owner",
    createdAt: formatInstant(expiresAt - 2 * HOUR),
    expiresAt: formatInstant(expiresAt),
    detailsVersion: null,
    detailsDigest: null,
  }
  return { row, book: bookOf([row]) }
}

test("a suppression is stored in the facts, stated in the answer, and replays to the same bytes after its revocation", async () => {
  const supplier = newSupplier("Harbor Light Instruments LLC")
  const { row, book } = judge(supplier)
  const held = await buyChecked(seller, { request: { supplier, risk_policy: HIGH } })
  expect([held.response.decision, held.facts.screening.state]).toEqual(["HOLD", "POSSIBLE_MATCH"])
  expect(Object.hasOwn(held.facts.screening, "suppressed_hits")).toBe(false)
  const uses = () => seller.server.database.rows("SELECT suppression_id, times FROM suppression_use")
  expect(await uses()).toEqual([])

  seller.useSuppressions(book)
  const passed = await buyChecked(seller, { request: { supplier, risk_policy: HIGH } })
  expect([passed.response.decision, passed.facts.screening.state]).toEqual(["ALLOW", "CLEAR"])
  expect(passed.facts.screening.suppressed_hits).toMatchObject([
    {
      entry_id: listed.entryId,
      tier: "HOLD",
      suppression: { suppression_id: row.suppressionId, record_digest: recordDigestOf(row) },
    },
  ])
  expect(passed.response.coverage.limitations).toContain("OPERATOR_SUPPRESSION_APPLIED")
  expect(held.response.coverage.limitations).not.toContain("OPERATOR_SUPPRESSION_APPLIED")
  expect(await uses()).toEqual([{ suppression_id: row.suppressionId, times: 1 }])
  // Author and reason belong to the operator and are in no delivery.
  expect(JSON.stringify(passed.facts)).not.toContain("Reviewer")

  seller.useSuppressions(NO_SUPPRESSIONS)
  const exported = await exportBundle(seller.server.store, passed.response.decision_id, [
    decisionBundles(paymentDecisionRules),
  ])
  if (!exported) throw new Error("nothing exported")
  const { lines } = replayBundle(exported, null, decisionBundles(paymentDecisionRules))
  const same = lines.filter(({ state }) => state === "OK").map(({ check }) => check)
  expect(same).toEqual(expect.arrayContaining(["schema", "policy", "decision", "capsule payload", "response digest"]))
  expect(lines.filter(({ state }) => state === "INVALID")).toEqual([])
  const after = await buyChecked(seller, { request: { supplier, risk_policy: HIGH } })
  expect(after.response.decision).toBe("HOLD")
})

test("replay detects that a suppression was removed from exported facts", async () => {
  const supplier = newSupplier("Harbor Light Instruments Inc")
  seller.useSuppressions(judge(supplier).book)
  const passed = await buyChecked(seller, { request: { supplier, risk_policy: HIGH } })
  const exported = await exportBundle(seller.server.store, passed.response.decision_id, [
    decisionBundles(paymentDecisionRules),
  ])
  const bundle = JSON.parse(new TextDecoder().decode(exported ?? new Uint8Array()))
  delete bundle.facts.screening.suppressed_hits
  const report = replayBundle(
    new TextEncoder().encode(canonicalize(bundle)),
    null,
    decisionBundles(paymentDecisionRules),
  )
  expect(report.conclusion).toBe("INVALID")
})

test("a suppression does not count for the same supplier with one more identifier, nor after it ends", async () => {
  const supplier = newSupplier("Harbor Light Instruments Ltd")
  seller.useSuppressions(judge(supplier).book)
  const identifiers = { ...supplier.identifiers, lei: "5493001KJTIIGC8Y1R12" }
  const more = await buyChecked(seller, { request: { supplier: { ...supplier, identifiers }, risk_policy: HIGH } })
  expect(more.response.decision).toBe("HOLD")
  const other = newSupplier("Harbor Light Instruments Corp")
  seller.useSuppressions(judge(other, Date.now() - 1).book)
  const over = await buyChecked(seller, { request: { supplier: other, risk_policy: HIGH } })
  expect(over.response.decision).toBe("HOLD")
})
