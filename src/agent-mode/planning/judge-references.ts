/** Judges the evidence that a caller names: may it replace the purchase? Pure. */
import type { AgentPlanningIntent, EvidenceReference } from "../../../schemas/agent-mode/planning.ts"
import type { RejectedReference, ReusableReference } from "../../../schemas/agent-mode/planning-results.ts"
import { PAYEE_VERIFICATION_PRODUCT } from "../../../schemas/us/payee-verification.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../../schemas/us/payment-decision.ts"
import { VENDOR_CHANGE_PRODUCT } from "../../../schemas/us/vendor-change.ts"
import {
  type ReusableEntry,
  type ReuseReason,
  reasonsAgainstReuse,
  type SubjectDigests,
  subjectFault,
} from "../wallet/judge-reuse.ts"
import type { PlanningLine } from "./planning-catalogue.ts"

/** A reference that was found: a LIVE entry of a wallet, or a delivered answer of our own records. */
export interface FoundReference extends ReusableEntry {
  readonly subject: SubjectDigests
}

/** One reference of the request, in its order. `found` is null if the service does not hold it. */
export interface ReferenceLine {
  readonly reference: EvidenceReference
  readonly found: FoundReference | null
}

export interface JudgedReferences {
  readonly reusable: readonly ReusableReference[]
  readonly rejected: readonly RejectedReference[]
}

/** What almost every request has. */
export const NO_REFERENCES: JudgedReferences = { reusable: [], rejected: [] }

type Code = RejectedReference["reason_code"]

/** These answers do not replace a Payment Decision, but it reads them. */
const EVIDENCE_FOR: Readonly<Record<string, readonly string[]>> = {
  [PAYMENT_DECISION_PRODUCT]: [PAYEE_VERIFICATION_PRODUCT, VENDOR_CHANGE_PRODUCT],
}

/** CHOICE: the answer says REVOKED of a spent token too, because neither can be used again. */
const ENDED: Readonly<Partial<Record<ReuseReason, Code>>> = {
  KEY_REVOKED: "REVOKED",
  TOKEN_REVOKED: "REVOKED",
  TOKEN_SPENT: "REVOKED",
}

/** `at` is `evaluated_at` in milliseconds. */
export function judgeReferences(
  lines: readonly ReferenceLine[],
  { productId, isPaid }: Pick<PlanningLine, "productId" | "isPaid">,
  { input_digests: stated }: Pick<AgentPlanningIntent, "input_digests">,
  at: number,
): JudgedReferences {
  const reusable: ReusableReference[] = []
  const rejected: RejectedReference[] = []
  const need = { wanted: isPaid ? productId : null, stated, at }
  for (const line of lines) {
    const { digest } = line.reference
    const judged = judge(line, need)
    if (typeof judged === "string") rejected.push({ digest, reason_code: judged })
    else reusable.push({ digest, ...judged })
  }
  return { reusable, rejected }
}

/** What a reference must serve. */
interface Need {
  /** The paid product; null if the plan buys none. */
  readonly wanted: string | null
  readonly stated: SubjectDigests
  /** Milliseconds. */
  readonly at: number
}

function judge(
  { reference, found }: ReferenceLine,
  { wanted, stated, at }: Need,
): Code | Omit<ReusableReference, "digest"> {
  if (!reference.authorized_by_caller) return "NOT_AUTHORIZED_BY_CALLER"
  if (!found) return "REFERENCE_NOT_FOUND"
  const reasons = reasonsAgainstReuse(found, at)
  if (reasons.includes("EXPIRED")) return "EXPIRED"
  const ended = reasons.map((reason) => ENDED[reason]).find((code) => code !== undefined)
  if (ended) return ended
  if (reasons.includes("DECISION_NOT_POSITIVE")) return "DECISION_NOT_POSITIVE"
  const members = { product_id: found.product, valid_until: found.validUntil }
  if (wanted === null || found.product === null) return "PRODUCT_DIFFERS"
  if (found.product !== wanted) {
    const isEvidence = EVIDENCE_FOR[wanted]?.includes(found.product) === true
    return isEvidence ? { ...members, effect: "ACCEPTED_AS_EVIDENCE" } : "PRODUCT_DIFFERS"
  }
  return subjectFault(found.subject, stated) ?? { ...members, effect: "REPLACES_PURCHASE" }
}
