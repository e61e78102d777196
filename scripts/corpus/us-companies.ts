/** Company checks and supplier approvals of the corpus. */
import type { UsOperationRequest } from "../../schemas/us/operation-request.ts"
import type { Tolerance } from "../../schemas/us/payment-decision.ts"
import { companyCheckRules } from "../../src/products/us/company-check/rules.ts"
import { supplierApprovalRules } from "../../src/products/us/supplier-approval/rules.ts"
import { usBody } from "../../test/fixtures/answers.ts"
import { approvalBody } from "../../test/products/us/supplier-approval/reasons.ts"
import { casesOf, PASSED } from "./case.ts"
import type { CorpusServer, SourceStates } from "./corpus-server.ts"
import { LISTED_LEI } from "./listed-parties.ts"
import { judgedOtherParty, NAMES, newCompany, samRegister } from "./parties.ts"

type Company = UsOperationRequest["company"]

const check =
  (company: Company = newCompany(), sources: Partial<SourceStates> = {}) =>
  (server: CorpusServer) =>
    server.within(sources, () => server.buy(companyCheckRules.path, usBody({ company })))

const named = (name: string) => check(newCompany(name))

const approve =
  (company: Company = newCompany(), sources: Partial<SourceStates> = {}, tolerance: Tolerance = "MEDIUM") =>
  (server: CorpusServer) => {
    const body = approvalBody({ company, risk_policy: { policy_id: "buyer-default", tolerance } })
    return server.within(sources, () => server.buy(supplierApprovalRules.path, body))
  }

/** Its LEI is a listed party's, its name is not. */
const identified = { legal_name: "Tidewater Optics Inc", identifiers: { lei: LISTED_LEI } }
const judged = newCompany(NAMES.similar)
const known = newCompany()
const missing = newCompany()
const renamed = newCompany()

export const US_COMPANY_CASES = [
  ...casesOf(companyCheckRules.id, {
    APPROVE: [
      ["attested", PASSED, "No register is imported; the passport says ATTESTED_ONLY.", check()],
      [
        "registered",
        PASSED,
        "The register has the company under this name; the passport says REGISTERED.",
        check(known, { registers: samRegister(known, known.legal_name) }),
      ],
      ["list-aging", PASSED, "One list is AGING, which is a limitation.", check(newCompany(), { us: "AGING" })],
      [
        "hit-suppressed",
        PASSED,
        "An operator judged the only hit to be another party.",
        check(judged, { suppressions: judgedOtherParty(judged, "MEDIUM") }),
      ],
    ],
    CONDITIONAL: [
      ["program", "RESTRICTED_PARTY_PROGRAM_CONDITION", "On a list that only restricts.", named(NAMES.condition)],
      [
        "not-registered",
        "REGISTRATION_NOT_FOUND",
        "The imported register does not have the identifier.",
        check(missing, { registers: samRegister(missing, null) }),
      ],
    ],
    REVIEW: [
      ["weak-hit", "RESTRICTED_PARTY_POSSIBLE_MATCH", "Half of a listed name.", named(NAMES.nearMiss)],
      [
        "listed-name-inside",
        "RESTRICTED_PARTY_POSSIBLE_MATCH",
        "A listed name is part of a longer one.",
        named(NAMES.listedInside),
      ],
      ["name-hit", "RESTRICTED_PARTY_POSSIBLE_MATCH", "The name is like a listed one.", named(NAMES.similar)],
      [
        "weak-alias",
        "RESTRICTED_PARTY_POSSIBLE_MATCH",
        "The name is a weak alias of a listed party.",
        named(NAMES.weakAlias),
      ],
      [
        "identifier-conflict",
        "RESTRICTED_PARTY_POSSIBLE_MATCH",
        "The name is a listed one, the UEI is another.",
        named(NAMES.otherIdentifier),
      ],
      [
        "hold-list",
        "RESTRICTED_PARTY_POSSIBLE_MATCH",
        "The full name is on a list that can only hold.",
        named(NAMES.heldList),
      ],
      [
        "removed-entry",
        "RESTRICTED_PARTY_POSSIBLE_MATCH",
        "The name left a list within the last 30 days, and is still screened.",
        named(NAMES.removed),
      ],
      [
        "many-entries",
        "RESTRICTED_PARTY_POSSIBLE_MATCH",
        "Twelve listed parties have the name, and the facts keep ten entries.",
        named(NAMES.namesakes),
      ],
      [
        "other-registered-name",
        "SUPPLIER_NAME_MISMATCH",
        "The register has the UEI under another name.",
        check(renamed, { registers: samRegister(renamed, "Quiet Meadow Tools LLC") }),
      ],
      ["name-unscreenable", "EVIDENCE_INSUFFICIENT", "The name has no word to screen.", named(NAMES.unscreenable)],
    ],
    BLOCK: [
      ["name", "RESTRICTED_PARTY_MATCH", "The full name is on a blocking list.", named(NAMES.match)],
      ["identifier", "RESTRICTED_PARTY_MATCH", "The LEI is a listed party's, the name is not.", check(identified)],
      ["long-entry", "RESTRICTED_PARTY_MATCH", "The facts keep a part of the listed entry.", named(NAMES.longEntry)],
    ],
  }),
  ...casesOf(supplierApprovalRules.id, {
    APPROVE: [
      ["medium", PASSED, "Nothing is found at MEDIUM.", approve()],
      [
        "high-list-aging",
        PASSED,
        "At HIGH an AGING list is a limitation.",
        approve(newCompany(), { us: "AGING" }, "HIGH"),
      ],
    ],
    CONDITIONAL: [
      [
        "low-attested",
        "IDENTITY_ATTESTED_ONLY",
        "At LOW an identity that no register has is a condition.",
        approve(newCompany(), {}, "LOW"),
      ],
      [
        "low-list-aging",
        "IDENTITY_ATTESTED_ONLY",
        "At LOW an AGING list is a condition too.",
        approve(newCompany(), { us: "AGING" }, "LOW"),
      ],
    ],
    REVIEW: [
      [
        "name-hit",
        "RESTRICTED_PARTY_POSSIBLE_MATCH",
        "The name is like a listed one.",
        approve(newCompany(NAMES.similar)),
      ],
      [
        "name-unscreenable",
        "EVIDENCE_INSUFFICIENT",
        "The name has no word to screen.",
        approve(newCompany(NAMES.unscreenable)),
      ],
    ],
    BLOCK: [
      ["name", "RESTRICTED_PARTY_MATCH", "The full name is on a blocking list.", approve(newCompany(NAMES.match))],
    ],
  }),
]
