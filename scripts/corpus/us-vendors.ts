/** Vendor changes and their continuations of the corpus. */
import type { VendorChangeRequest } from "../../schemas/us/vendor-change.ts"
import { digestOf } from "../../src/core/digest.ts"
import { DAY, formatInstant } from "../../src/core/time.ts"
import { vendorChangeRules } from "../../src/products/us/vendor-change/rules.ts"
import { vendorContinuationRules } from "../../src/products/us/vendor-continuation/rules.ts"
import { usBody } from "../../test/fixtures/answers.ts"
import { destination } from "../../test/fixtures/decision.ts"
import { PROPOSED, vendorChangeBody } from "../../test/fixtures/vendor-change.ts"
import { casesOf, PASSED } from "./case.ts"
import type { CorpusServer, SourceStates } from "./corpus-server.ts"
import { LISTED_SINCE } from "./listed-parties.ts"
import { NAMES, newCompany, samRegister } from "./parties.ts"

const LATER_PAYEE = destination(`0x${"9f".repeat(20)}`)

const change =
  (changes: () => Partial<VendorChangeRequest> = () => ({}), sources: Partial<SourceStates> = {}) =>
  (server: CorpusServer) =>
    server.within(sources, () => server.buy(vendorChangeRules.path, changeBody(changes())))

const changeBody = (changes: Partial<VendorChangeRequest>) => vendorChangeBody({ company: newCompany(), ...changes })

/** A change that is not sold. The money had moved, so an answer is delivered. */
const changeMoved = (changes: () => Partial<VendorChangeRequest>) => (server: CorpusServer) =>
  server.buyMoved(vendorChangeRules, changeBody(changes()))

const of = (name: string) => change(() => ({ company: newCompany(name) }))
const challenge = () => vendorChangeBody().challenge

/** Authorizes a vendor's first payee, then continues that authorization with other source data. */
const continued =
  (company = newCompany(), now: Partial<SourceStates> = {}, then: Partial<SourceStates> = {}) =>
  async (server: CorpusServer) => {
    const prior = await change(() => ({ company }), then)(server)
    const body = { ...usBody({ company }), prior_authorization_reference: prior.id }
    return server.within(now, () => server.buy(vendorContinuationRules.path, body))
  }

const registeredOnce = newCompany()
const listedSince = newCompany(LISTED_SINCE.turbines)
const similarSince = newCompany(LISTED_SINCE.fabrication)

export const US_VENDOR_CASES = [
  ...casesOf(vendorChangeRules.id, {
    APPROVE: [
      ["first-payee", PASSED, "A vendor's first payee; a token is issued.", change()],
      [
        "changed-payee",
        PASSED,
        "A payee that was authorized before is changed.",
        async (server) => {
          const company = newCompany()
          const first = await change(() => ({ company }))(server)
          return change(() => ({
            company,
            current_payee_fingerprint: PROPOSED.fingerprint,
            proposed_payee_fingerprint: LATER_PAYEE.fingerprint,
            prior_authorization_reference: first.id,
            challenge: { ...challenge(), verified_at: formatInstant(Date.now()) },
          }))(server)
        },
      ],
    ],
    CONDITIONAL: [
      [
        "program",
        "RESTRICTED_PARTY_PROGRAM_CONDITION",
        "On a list that only restricts; a token is issued.",
        of(NAMES.condition),
      ],
    ],
    REVIEW: [
      [
        "challenge-expired",
        "CHALLENGE_EXPIRED",
        "The challenge ended yesterday, and the money had moved; NO_TOKEN_ISSUED.",
        changeMoved(() => ({ challenge: { ...challenge(), valid_until: formatInstant(Date.now() - DAY) } })),
      ],
      [
        "prior-not-found",
        "PRIOR_AUTHORIZATION_NOT_FOUND",
        "The reference names no authorization of this payer, and the money had moved.",
        changeMoved(() => ({
          current_payee_fingerprint: digestOf("a payee of before"),
          prior_authorization_reference: "exe_AAAAAAAAAAAAAAAAAAAAAA",
        })),
      ],
      ["name-unscreenable", "EVIDENCE_INSUFFICIENT", "The name has no word to screen.", of(NAMES.unscreenable)],
    ],
    BLOCK: [["name", "RESTRICTED_PARTY_MATCH", "The full name is on a blocking list.", of(NAMES.match)]],
  }),
  ...casesOf(vendorContinuationRules.id, {
    APPROVE: [
      ["unchanged", PASSED, "Nothing changed since.", continued()],
      ["newer-list", PASSED, "A list is newer, and nothing else changed.", continued(undefined, { us: "NEWER" })],
    ],
    CONDITIONAL: [
      [
        "program",
        "RESTRICTED_PARTY_PROGRAM_CONDITION",
        "On a list that only restricts, then and today.",
        continued(newCompany(NAMES.condition)),
      ],
    ],
    REVIEW: [
      [
        "not-found",
        "PRIOR_AUTHORIZATION_NOT_FOUND",
        "The reference names no authorization, and the money had moved.",
        (server) =>
          server.buyMoved(vendorContinuationRules, {
            ...usBody({ company: newCompany() }),
            prior_authorization_reference: "exe_AAAAAAAAAAAAAAAAAAAAAA",
          }),
      ],
      [
        "similar-since",
        "RESTRICTED_PARTY_POSSIBLE_MATCH",
        "A newer list has a name like the vendor's.",
        continued(similarSince, { us: "NEWER" }),
      ],
      [
        "registration-lost",
        "PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED",
        "The register had the vendor then and does not have it today.",
        continued(
          registeredOnce,
          { registers: samRegister(registeredOnce, null) },
          { registers: samRegister(registeredOnce, registeredOnce.legal_name) },
        ),
      ],
    ],
    BLOCK: [
      [
        "listed-since",
        "RESTRICTED_PARTY_MATCH",
        "The vendor came onto a blocking list since.",
        continued(listedSince, { us: "NEWER" }),
      ],
    ],
  }),
]
