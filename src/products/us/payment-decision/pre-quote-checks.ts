/**
 * The checks before any quote, in order (design of decisions, "Before any quote"). Each check tests one thing and returns the rejection or
 * null. The paid route stops at the first rejection. The free eligibility route reports every line.
 */

import type { EligibilityCheckId } from "../../../../schemas/us/eligibility.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import type { ServiceError } from "../../../base/errors.ts"
import { digestFaults } from "../../../checks/policy/digests.ts"
import { verifySignature } from "../../../core/ed25519.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { checkAmount, digestRefusal } from "../../common/request-faults.ts"
import { checkEvaluationTime } from "../company-refusals.ts"
import { judgeAgentKey, signatureRefusal } from "../signing-agent.ts"
import { judgeSources } from "../source-checks.ts"
import { judgeBuyer, judgeDelegation, judgeMandate } from "./authority.ts"
import { judgeEarlierAuthorization, readEarlierAuthorization } from "./earlier-authorization.ts"
import { holdsOf } from "./holds.ts"
import type { Inquiry, JudgedRecords } from "./inquiry.ts"
import { readAuthority, readSupplierRecords } from "./records.ts"
import { judgeCollision, judgeIdentifiers, judgeLegalName, judgePayer } from "./supplier-checks.ts"

export interface DecisionCheck {
  readonly id: EligibilityCheckId
  /** Members of the request that the check reads. */
  readonly needs: readonly (keyof DecisionRequest)[]
  /** Results about buyer, agent or the service's records are shown only to a caller who proved the agent key (rulings 28). */
  readonly private: boolean
  readonly judge: (inquiry: Inquiry) => ServiceError | null
}

/** These run before the look-up of an existing entitlement (rulings 24). */
export const ENTRY_CHECKS: readonly DecisionCheck[] = [
  {
    id: "AMOUNT_AND_CURRENCY",
    needs: ["amount", "currency"],
    private: false,
    judge: ({ request }) => checkAmount(request),
  },
  { id: "DIGESTS", needs: [], private: false, judge: judgeDigests },
  { id: "AGENT_KEY", needs: ["requesting_agent"], private: true, judge: judgeAgentKey },
  { id: "REQUEST_SIGNATURE", needs: ["requesting_agent"], private: false, judge: judgeRequestSignature },
]

/** `evaluated_at` is checked on the unpaid call only. On a paid call, a valid quote replaces it (rulings 24). */
export const EVALUATION_TIME: DecisionCheck = {
  id: "EVALUATION_TIME",
  needs: ["freshness_requirements"],
  private: false,
  judge: ({ request, at }) => checkEvaluationTime(request, { paid: false, at }),
}

/** Runs before each quote. For a payment, the reserving transaction checks it instead, because it knows whether the money has moved. */
const EARLIER_AUTHORIZATION: DecisionCheck = {
  id: "EARLIER_AUTHORIZATION",
  needs: [
    "supplier",
    "buyer",
    "invoice",
    "payee",
    "payment_destination",
    "amount",
    "currency",
    "payment_instruction_digest",
  ],
  private: true,
  judge: judgeEarlierAuthorization,
}

/** The other checks. They run after the look-up of an existing entitlement. */
export const AUTHORITY_CHECKS: readonly DecisionCheck[] = [
  { id: "BUYER", needs: ["buyer"], private: true, judge: judgeBuyer },
  {
    id: "DELEGATION",
    needs: ["buyer", "requesting_agent", "amount", "currency"],
    private: true,
    judge: judgeDelegation,
  },
  {
    id: "MANDATE",
    needs: ["buyer_mandate", "buyer", "requesting_agent", "amount", "payee"],
    private: true,
    judge: judgeMandate,
  },
  { id: "SUPPLIER_IDENTIFIER", needs: ["supplier"], private: false, judge: judgeIdentifiers },
  { id: "IDENTITY_COLLISION", needs: ["supplier", "buyer"], private: true, judge: judgeCollision },
  EARLIER_AUTHORIZATION,
  { id: "LEGAL_NAME", needs: ["supplier"], private: false, judge: judgeLegalName },
  { id: "SOURCES", needs: ["freshness_requirements"], private: false, judge: judgeSources },
  { id: "DECISION_FEE_PAYER", needs: ["decision_fee_payer"], private: false, judge: judgePayer },
]

/** The same checks for a payment that may be taken. */
export const PAYMENT_CHECKS: readonly DecisionCheck[] = AUTHORITY_CHECKS.filter(
  (check) => check !== EARLIER_AUTHORIZATION,
)

/** Reads all records that the checks use, from one database snapshot. */
export function* readForChecks(request: DecisionRequest, at: number, ownRequestId: string | null): Unit<JudgedRecords> {
  const supplier = yield* readSupplierRecords(request, ownRequestId)
  return {
    authority: yield* readAuthority(request, holdsOf(request, supplier.set), at, ownRequestId),
    supplier,
    earlier: yield* readEarlierAuthorization(request, supplier.set, at, ownRequestId),
  }
}

/** Throws the first rejection. */
export function requireAll(checks: readonly DecisionCheck[], inquiry: Inquiry): void {
  for (const check of checks) {
    const refusal = check.judge(inquiry)
    if (refusal) throw refusal
  }
}

function judgeDigests({ request, texts }: Inquiry): ServiceError | null {
  const pointers = digestFaults(request, texts?.requestDigest)
  return pointers.length === 0 ? null : digestRefusal(pointers)
}

export function judgeRequestSignature({ request, texts, agentKey }: Inquiry): ServiceError | null {
  const valid =
    agentKey !== null &&
    texts !== null &&
    verifySignature(agentKey.x, texts.signing, request.requesting_agent.request_signature)
  return valid ? null : signatureRefusal()
}
