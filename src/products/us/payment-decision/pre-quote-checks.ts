/**
 * The list that runs before any quote, in its order (design of decisions, "Before any quote"). Each entry looks at one thing and
 * returns the refusal or null. The paid route stops at the first; the free eligibility route reports every line.
 */
import type { EligibilityCheckId } from "../../../../schemas/us/eligibility.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { digestRefusal, refuseAmount } from "../../../business-answers/request-faults.ts"
import { digestFaults, type RequestTexts } from "../../../checks/policy/digests.ts"
import { verifySignature } from "../../../core/ed25519.ts"
import type { ServiceError } from "../../../errors.ts"
import type { SourceBoard } from "../../../sources/lists/source-board.ts"
import type { Unit } from "../../../store/unit.ts"
import { refuseEvaluationTime } from "../company-refusals.ts"
import type { Registers } from "../registration.ts"
import { judgeAgentKey, type StoredAgentKey, signatureRefusal } from "../signing-agent.ts"
import { judgeSources } from "../source-checks.ts"
import { judgeBuyer, judgeDelegation, judgeMandate } from "./authority.ts"
import {
  type EarlierAuthorization,
  judgeEarlierAuthorization,
  readEarlierAuthorization,
} from "./earlier-authorization.ts"
import { holdsOf } from "./holds.ts"
import { type AuthorityRecords, readAuthority, readSupplierRecords, type SupplierRecords } from "./records.ts"
import { judgeCollision, judgeIdentifiers, judgeLegalName, judgePayer } from "./supplier-checks.ts"

/** One request under inquiry. Which members are there is decided by each check's `needs`. */
export interface Inquiry {
  readonly request: DecisionRequest
  readonly requestDigest: string
  /** Null for a request that is not whole. */
  readonly texts: RequestTexts | null
  readonly at: number
  readonly agentKey: StoredAgentKey | null
  readonly authority: AuthorityRecords | null
  readonly supplier: SupplierRecords | null
  readonly earlier: EarlierAuthorization | null
  /** Public origin of the service. */
  readonly baseUrl: string
  readonly sources: SourceBoard
  readonly registers: Registers
}

/** What of our own records the checks judge by. */
export type JudgedRecords = Pick<Inquiry, "authority" | "supplier" | "earlier">

export interface DecisionCheck {
  readonly id: EligibilityCheckId
  /** Members of the request the check reads. */
  readonly needs: readonly (keyof DecisionRequest)[]
  /** Answers about buyer, agent or our records are given only to who proved the agent key (rulings 28). */
  readonly private: boolean
  readonly judge: (inquiry: Inquiry) => ServiceError | null
}

/** Looked at before an existing entitlement is (rulings 24). */
export const ENTRY_CHECKS: readonly DecisionCheck[] = [
  {
    id: "AMOUNT_AND_CURRENCY",
    needs: ["amount", "currency"],
    private: false,
    judge: ({ request }) => refuseAmount(request),
  },
  { id: "DIGESTS", needs: [], private: false, judge: judgeDigests },
  { id: "AGENT_KEY", needs: ["requesting_agent"], private: true, judge: judgeAgentKey },
  { id: "REQUEST_SIGNATURE", needs: ["requesting_agent"], private: false, judge: judgeRequestSignature },
]

/** `evaluated_at` is asked of the unpaid call only; a valid quote replaces it on a paid one (rulings 24). */
export const EVALUATION_TIME: DecisionCheck = {
  id: "EVALUATION_TIME",
  needs: ["freshness_requirements"],
  private: false,
  judge: ({ request, at }) => refuseEvaluationTime(request, { paid: false, at }),
}

/** Asked before each quote. On a payment it is the reserving unit that asks, which knows whether the money has moved. */
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

/** The rest, after an existing entitlement was looked for. */
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

/** The same for a payment that may be taken. */
export const PAYMENT_CHECKS: readonly DecisionCheck[] = AUTHORITY_CHECKS.filter(
  (check) => check !== EARLIER_AUTHORIZATION,
)

/** Reads all records the checks judge by, on one view. */
export function* readForChecks(request: DecisionRequest, at: number, ownRequestId: string | null): Unit<JudgedRecords> {
  return {
    authority: yield* readAuthority(request, holdsOf(request), at, ownRequestId),
    supplier: yield* readSupplierRecords(request),
    earlier: yield* readEarlierAuthorization(request, at, ownRequestId),
  }
}

/** Throws the first refusal. */
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
