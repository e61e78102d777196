/** Payment Decisions of the corpus. */
import { type DecisionRequest, PAYMENT_DECISION_PRODUCT, type Tolerance } from "../../schemas/us/payment-decision.ts"
import { vendorChangeRules } from "../../src/products/us/vendor-change/rules.ts"
import { destination } from "../../test/fixtures/decision.ts"
import { LISTED_WALLET } from "../../test/fixtures/sample-parties.ts"
import { vendorChangeBody } from "../../test/fixtures/vendor-change.ts"
import { casesOf, PASSED } from "./case.ts"
import type { Bought, CorpusServer, SourceStates } from "./corpus-server.ts"
import { LISTED_LEI } from "./listed-parties.ts"
import { judgedOtherParty, NAMES, newSupplier, samRegister } from "./parties.ts"

const OTHER_PLACE = destination(`0x${"cd".repeat(20)}`)
const risk = (tolerance: Tolerance) => ({ risk_policy: { policy_id: "buyer-default", tolerance } })

/** With tolerance HIGH, where a first payment alone causes no hold, unless `changes` differ. */
const decide =
  (changes: () => Partial<DecisionRequest> = () => ({}), sources: Partial<SourceStates> = {}) =>
  (server: CorpusServer) =>
    server.within(sources, () => server.decide({ request: { supplier: newSupplier(), ...risk("HIGH"), ...changes() } }))

const of = (name: string) => decide(() => ({ supplier: newSupplier(name) }))

/** Pays the supplier once at the usual destination before the case. */
async function paidSupplier(server: CorpusServer) {
  const supplier = newSupplier()
  const { request } = await server.decide({ request: { supplier, ...risk("HIGH") } })
  return { supplier, invoice: request.invoice }
}

/** Buys the supplier's first destination, and references the purchase as evidence. */
async function authorizedDestination(server: CorpusServer): Promise<Bought> {
  const { entity_id, ...company } = newSupplier()
  const body = vendorChangeBody({ company, proposed_payee_fingerprint: OTHER_PLACE.fingerprint })
  const { capsule } = await server.buy(vendorChangeRules.path, body)
  const { payload } = JSON.parse(capsule ?? "null") as { payload: { core_digest: string } }
  return decide(() => ({
    supplier: { entity_id, ...company },
    payee: OTHER_PLACE,
    payment_destination: OTHER_PLACE,
    evidence_references: [payload.core_digest],
    ...risk("MEDIUM"),
  }))(server)
}

const registered = newSupplier()
const missing = newSupplier()
const judged = newSupplier(NAMES.similar)
const identified = { ...newSupplier("Tidewater Optics Inc"), identifiers: { lei: LISTED_LEI } }

export const PAYMENT_DECISION_CASES = casesOf(PAYMENT_DECISION_PRODUCT, {
  ALLOW: [
    ["first-payment-high", PASSED, "A first payment at HIGH.", decide()],
    [
      "known-destination",
      PASSED,
      "The destination was paid before, at MEDIUM.",
      async (server) => {
        const { supplier } = await paidSupplier(server)
        return decide(() => ({ supplier, ...risk("MEDIUM") }))(server)
      },
    ],
    [
      "authorized-destination",
      PASSED,
      "A vendor change authorized the destination; its token is spent.",
      authorizedDestination,
    ],
    [
      "registered",
      PASSED,
      "The register has the supplier under this name.",
      decide(() => ({ supplier: registered }), { registers: samRegister(registered, registered.legal_name) }),
    ],
    ["list-aging", PASSED, "One list is AGING, which is a limitation at HIGH.", decide(undefined, { us: "AGING" })],
    [
      "hit-suppressed",
      PASSED,
      "An operator judged the only hit to be another party.",
      decide(() => ({ supplier: judged }), { suppressions: judgedOtherParty(judged, "HIGH") }),
    ],
  ],
  ALLOW_WITH_CONDITIONS: [
    [
      "first-payment-medium",
      "FIRST_PAYMENT_TO_DESTINATION",
      "A first payment at MEDIUM.",
      decide(() => risk("MEDIUM")),
    ],
    [
      "not-registered",
      "REGISTRATION_NOT_FOUND",
      "The imported register does not have the identifier.",
      decide(() => ({ supplier: missing }), { registers: samRegister(missing, null) }),
    ],
    ["program", "RESTRICTED_PARTY_PROGRAM_CONDITION", "On a list that only restricts.", of(NAMES.condition)],
  ],
  HOLD: [
    [
      "first-payment-low-list-aging",
      "FIRST_PAYMENT_TO_DESTINATION",
      "A first payment at LOW, with an AGING list as a condition beside it.",
      decide(() => risk("LOW"), { us: "AGING" }),
    ],
    ["name-hit", "RESTRICTED_PARTY_POSSIBLE_MATCH", "The name is like a listed one.", of(NAMES.similar)],
    [
      "weak-alias",
      "RESTRICTED_PARTY_POSSIBLE_MATCH",
      "The name is a weak alias of a listed party.",
      of(NAMES.weakAlias),
    ],
    [
      "identifier-conflict",
      "RESTRICTED_PARTY_POSSIBLE_MATCH",
      "The name is a listed one, the UEI is another.",
      of(NAMES.otherIdentifier),
    ],
    [
      "removed-entry",
      "RESTRICTED_PARTY_POSSIBLE_MATCH",
      "The name left a list within the last 30 days, and is still screened.",
      of(NAMES.removed),
    ],
    [
      "destination-changed",
      "DESTINATION_CHANGED_WITHOUT_AUTHORIZATION",
      "The supplier was paid elsewhere before.",
      async (server) => {
        const { supplier } = await paidSupplier(server)
        return decide(() => ({ supplier, payee: OTHER_PLACE, payment_destination: OTHER_PLACE }))(server)
      },
    ],
  ],
  UNDETERMINED: [
    ["name-unscreenable", "EVIDENCE_INSUFFICIENT", "The name has no word to screen.", of(NAMES.unscreenable)],
  ],
  BLOCK: [
    ["name", "RESTRICTED_PARTY_MATCH", "The full name is on a blocking list.", of(NAMES.match)],
    ["long-entry", "RESTRICTED_PARTY_MATCH", "The facts keep a part of the listed entry.", of(NAMES.longEntry)],
    [
      "identifier",
      "RESTRICTED_PARTY_MATCH",
      "The LEI is a listed party's, the name is not.",
      decide(() => ({ supplier: identified })),
    ],
    [
      "wallet",
      "WALLET_RESTRICTED",
      "A listed party holds the wallet.",
      decide(() => ({ payee: destination(LISTED_WALLET), payment_destination: destination(LISTED_WALLET) })),
    ],
  ],
})
