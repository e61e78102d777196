import type { ChangeFacts, PriorAuthorization } from "../../../../schemas/change-facts.ts"
import { type VendorChangeRequest, vendorChangeMembers } from "../../../../schemas/us/vendor-change.ts"
import { ServiceError } from "../../../base/errors.ts"
import { CHANGE_POINTERS, changeFindings, proposedChange } from "../../../checks/change-challenge.ts"
import { GATES } from "../../../checks/policy/gate.ts"
import { digestOf } from "../../../core/digest.ts"
import type { Refused } from "../../../delivery/sale.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { answerOfExecution } from "../../../store/sales/answer-records.ts"
import type { AnswerCheck, AnswerOwner, BusinessAnswerProduct, FixedOutcome } from "../../common/answer-product.ts"
import { policyInForce } from "../../common/answer-rules.ts"
import { NOT_EVALUATED } from "../../common/pre-quote-check.ts"
import { checkIsChange } from "../../common/request-faults.ts"
import { challengeUser, namedChange, reserveChange } from "../../common/reserve-change.ts"
import { companyIdentifier, evaluationTime, legalName, US_SOURCES_NEED } from "../company-checks.ts"
import { gatherCompany, type UsSources, usSourceStates } from "../company-facts.ts"
import { companySubject } from "../company-record.ts"
import { recordedIdentifiers } from "../recorded-supplier.ts"
import { judgeAgentKey, judgeOrganization } from "../signing-agent.ts"
import { companyParty, companySupplier } from "../supplier-naming.ts"
import { vouchesForCompany } from "../vouching-answer.ts"
import {
  changeDelegation,
  isStranger,
  judgeAuthority,
  judgeChangeDelegation,
  judgeSignature,
  readChangeAuthority,
} from "./change-authority.ts"
import { changeResult, supplierKeyOf } from "./decide.ts"
import { type VendorChange, vendorChangeRules } from "./rules.ts"

interface VendorChangeDeps extends UsSources {
  readonly baseUrl: () => string
}

/** Operations whose answers name a vendor's payee. A change may name such an answer as the authorization it changes. */
const PRIOR: readonly string[] = [GATES.PAYMENT_AUTHORITY, GATES.VENDOR_CHANGE, GATES.INVOICE_PAYEE]

const { thresholds } = policyInForce(vendorChangeRules)

export function vendorChange(deps: VendorChangeDeps): BusinessAnswerProduct<VendorChange> {
  return {
    ...vendorChangeRules,
    validations: [
      { id: "AUDIENCE", needs: ["audience"], judge: ({ request }) => checkAudience(request, deps.baseUrl()) },
      {
        id: "CHANGE",
        needs: ["current_payee_fingerprint", "proposed_payee_fingerprint"],
        judge: ({ request }) => checkIsChange(request, ""),
      },
      companyIdentifier,
    ],
    checksBeforeQuote: [...AUTHORITY_CHECKS, evaluationTime, legalName(deps)],
    inquire: readChangeAuthority,
    fixedOutcome,
    sourcesNeed: US_SOURCES_NEED,
    sources: (request, at) => usSourceStates(deps, request, at),
    reserve,
    gather: (request, base, { change, delegation, recorded }) => ({
      ...gatherCompany(deps, request, base, { recorded }),
      change,
      delegation,
    }),
    undecided: (request) => changeResult(request, "NO_DECISION"),
    record: ({ company, proposed_payee_fingerprint: proposed }) => ({
      ...companySubject(company),
      payeeFingerprint: proposed,
      destinationFingerprint: proposed,
    }),
    about: ({ company }, { registration }) => companyParty(company, registration),
    supplier: ({ company }, { registration }) => companySupplier(company, registration),
    token: (request, { payer }) => ({
      kind: "VENDOR_CHANGE",
      binding: {
        supplier_key: supplierKeyOf(request),
        current_payee_fingerprint: request.current_payee_fingerprint,
        proposed_payee_fingerprint: request.proposed_payee_fingerprint,
        wallet: payer,
      },
    }),
    signer: ({ buyer, requesting_agent: agent }) => ({
      organizationId: buyer.organization_id,
      agentId: agent.agent_id,
      keyId: agent.key_id,
    }),
    delegationsUsed: ({ delegation }) => ({ delegationId: delegation.delegation_id, mandateDelegationId: null }),
  }
}

const AUTHORITY_CHECKS: readonly AnswerCheck<VendorChange>[] = [
  // A caller who has not proved the agent's key learns nothing about the organization (rulings 28).
  {
    id: "AGENT_KEY",
    needs: ["requesting_agent"],
    private: true,
    judge: ({ recordsForChecks: records }) => judgeAgentKey(records, "VENDOR_CHANGE"),
  },
  {
    id: "REQUEST_SIGNATURE",
    needs: Object.keys(vendorChangeMembers),
    judge: ({ request, recordsForChecks: records }) => judgeSignature(request, records),
  },
  {
    id: "BUYER",
    needs: ["buyer"],
    private: true,
    judge: ({ request, recordsForChecks: records, at }) =>
      isStranger(records, at) ? NOT_EVALUATED : judgeOrganization(request.buyer, records.organization, at),
  },
  {
    id: "DELEGATION",
    needs: ["buyer"],
    private: true,
    judge: ({ recordsForChecks: records, at }) => judgeChangeDelegation(records, at),
  },
]

function* reserve(
  request: VendorChangeRequest,
  owner: AnswerOwner,
  at: number,
): Unit<VendorChange["records"] | Refused> {
  const authority = yield* readChangeAuthority(request, at)
  const refusal = judgeAuthority(request, authority, at)
  if (refusal) return { refused: refusal.code, detail: refusal.detail, context: refusal.context }
  const { prior_authorization_reference: prior, challenge, buyer } = request
  const references = { prior, challenge: challenge.reference }
  // The organization holds the challenge. Otherwise several wallets could buy one signed request, and revoking one token would leave
  // the others.
  const change = yield* reserveChange(owner, references, PRIOR, buyer.organization_id)
  if ("refused" in change) return change
  const vouched = yield* priorOf(owner.payer, request, change)
  const { delegation } = changeDelegation(authority, at)
  if (!delegation) throw new Error("a change was judged without its delegation")
  return {
    change: { ...change, prior_authorization: vouched },
    delegation: { delegation_id: delegation.delegationId, valid_until: delegation.validUntil },
    // The organization signs the request, so its own records count beside those of the paying wallet.
    recorded: yield* recordedIdentifiers(request.company, [owner.payer, buyer.organization_id]),
  }
}

const fixedOutcome: FixedOutcome<VendorChange> = {
  needs: ["company", "current_payee_fingerprint", "prior_authorization_reference", "challenge"],
  isPrivate: true,
  evidence: ({ challenge: attested }) => [{ pointer: "/challenge", attested }],
  *named(request) {
    const { prior_authorization_reference: prior, challenge, buyer } = request
    const prior_authorization = yield* priorOf(null, request, yield* namedChange(prior, PRIOR))
    // The organization that signs holds the challenge, so its use is known before a payment.
    const usedBy = yield* challengeUser(buyer.organization_id, challenge.reference)
    const challenge_reused = usedBy !== null && usedBy.bodyDigest !== digestOf(request)
    return { change: { prior_authorization, challenge_reused } }
  },
  findings: (request, named, at) =>
    changeFindings(proposedChange(supplierKeyOf(request), request), named?.change ?? null, thresholds, at),
  pointer: (code) => CHANGE_POINTERS[code] ?? "",
}

/** The earlier authorization, and whether it is about the company of the request. `payer` null: whoever bought it. */
function* priorOf(
  payer: string | null,
  { company }: VendorChangeRequest,
  { prior_authorization: prior }: ChangeFacts,
): Unit<PriorAuthorization | null> {
  const record = prior && (yield* answerOfExecution(payer, prior.execution_id))
  if (!record || !prior) return null
  return { ...prior, vouches: yield* vouchesForCompany(record, company) }
}

/** Rejects an object that was signed for another server (rulings 2). */
function checkAudience({ audience }: VendorChangeRequest, baseUrl: string): ServiceError | null {
  if (audience === baseUrl) return null
  return new ServiceError("SCHEMA_INVALID", "audience must be this service's base address.", {
    errors: [{ pointer: "/audience", code: "AUDIENCE", expected: baseUrl }],
  })
}
