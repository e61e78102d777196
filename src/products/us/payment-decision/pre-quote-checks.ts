/**
 * The checks of the Payment Decision before any quote, in order (design of decisions, "Before any quote"). Each check tests one thing. The
 * paid route stops at the first rejection. The free eligibility route reports every line.
 */

import type { EligibilityCheckId } from "../../../../schemas/us/eligibility.ts"
import { type DecisionRequest, decisionRequestMembers } from "../../../../schemas/us/payment-decision.ts"
import { digestFaults } from "../../../checks/policy/digests.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import type { ValidSignatures } from "../../../core/crypto/valid-signatures.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import type { CheckInput } from "../../common/check-input.ts"
import { type Judged, NOT_EVALUATED, type PreQuoteCheck } from "../../common/pre-quote-check.ts"
import { checkAmount, digestRefusal } from "../../common/request-faults.ts"
import { evaluationTime, legalNameOf } from "../company-checks.ts"
import { checkIdentifiers } from "../company-refusals.ts"
import { judgeAgentKey, signatureRefusal } from "../signing-agent.ts"
import {
  type AuthorityInquiry,
  judgeAuthorityEnd,
  judgeBuyer,
  judgeDelegation,
  judgeMandate,
  requestDelegation,
} from "./authority.ts"
import { judgeEarlierAuthorization, readEarlierAuthorization } from "./earlier-authorization.ts"
import { holdsOf } from "./holds.ts"
import { readAuthority, readSupplierRecords } from "./records.ts"
import type { PaymentDecision, RecordsForQuote } from "./rules.ts"
import { judgeCollision } from "./supplier-checks.ts"
import type { Evidence } from "./without-accepted.ts"

type Input = CheckInput<PaymentDecision>
type DecisionCheck = PreQuoteCheck<Input, EligibilityCheckId>

export const DECISION_MEMBERS = Object.keys(decisionRequestMembers) as (keyof DecisionRequest)[]

/** These run before the look-up of an existing entitlement (rulings 24). */
export function entryChecks(signatures: ValidSignatures): readonly DecisionCheck[] {
  return [
    {
      id: "AMOUNT_AND_CURRENCY",
      needs: ["amount", "currency"],
      judge: ({ request }) => checkAmount(request),
    },
    { id: "DIGESTS", needs: [], judge: judgeDigests },
    {
      id: "AGENT_KEY",
      needs: ["requesting_agent"],
      private: true,
      judge: (records) => judgeAgentKey(records, "DECISION_REQUEST"),
    },
    // The signature covers the whole request.
    { id: "REQUEST_SIGNATURE", needs: DECISION_MEMBERS, judge: (input) => judgeRequestSignature(input, signatures) },
  ]
}

/** The context of the checks: lists and registers as {@link withoutAccepted} returns them, and the public origin of the service. */
interface CheckContext extends Evidence {
  readonly baseUrl: () => string
  readonly signatures: ValidSignatures
}

/** The other checks. They run after the look-up of an existing entitlement. */
export function checksBeforeQuote(context: CheckContext): readonly DecisionCheck[] {
  return [
    evaluationTime,
    {
      id: "BUYER",
      needs: ["buyer"],
      private: true,
      judge: (input) => judgeBuyer(authorityOf(input)),
      // Any agent may sign a request in the name of any organization. An agent without a current delegation learns only that. It does not
      // learn whether the organization is known, verified or revoked, nor, from the records, whom the organization pays.
      judgeFree: (input) => {
        const inquiry = authorityOf(input)
        return requestDelegation(inquiry).fault === "DELEGATION_NOT_ACTIVE" ? NOT_EVALUATED : judgeBuyer(inquiry)
      },
    },
    {
      id: "DELEGATION",
      needs: ["buyer", "requesting_agent", "amount", "currency"],
      private: true,
      judge: (input) => judgeDelegation(authorityOf(input)),
    },
    {
      id: "MANDATE",
      needs: ["buyer_mandate", "buyer", "requesting_agent", "amount", "payee"],
      private: true,
      judge: (input) => judgeMandate(authorityOf(input), context.signatures),
      // The end of the authority has no line of its own. The line of the mandate shows it, because a new mandate usually fixes it.
      judgeFree: async (input) => {
        const inquiry = authorityOf(input)
        return (await judgeMandate(inquiry, context.signatures)) ?? judgeAuthorityEnd(inquiry)
      },
    },
    {
      id: "SUPPLIER_IDENTIFIER",
      needs: ["supplier"],
      judge: ({ request }) => checkIdentifiers(request.supplier, "/supplier"),
    },
    {
      id: "IDENTITY_COLLISION",
      needs: ["supplier", "buyer"],
      private: true,
      judge: ({ request, at, recordsForChecks: { supplier } }) =>
        judgeCollision({ request, at, supplier, registers: context.registers }),
    },
    {
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
      inReserve: true,
      judge: ({ request, at, recordsForChecks: { earlier } }) =>
        judgeEarlierAuthorization({ request, at, earlier, baseUrl: context.baseUrl() }),
    },
    legalNameOf(context, "supplier"),
  ]
}

export const AUTHORITY_END: PreQuoteCheck<Input> = {
  id: "AUTHORITY_END",
  needs: [],
  judge: (input) => judgeAuthorityEnd(authorityOf(input)),
}

/** Reads all records that the checks use. */
export function* readForQuote(
  request: DecisionRequest,
  at: number,
  ownRequestId: string | null,
): Unit<{ readonly recordsForChecks: RecordsForQuote; readonly named: null }> {
  const supplier = yield* readSupplierRecords(request, ownRequestId)
  const recordsForChecks = {
    authority: yield* readAuthority(request, holdsOf(request, supplier.set), at, ownRequestId),
    supplier,
    earlier: yield* readEarlierAuthorization(request, supplier.set, at, ownRequestId),
  }
  return { recordsForChecks, named: null }
}

function authorityOf({ request, texts, at, recordsForChecks }: Input): AuthorityInquiry {
  if (texts === null) throw new Error("the authority of an incomplete request was judged")
  return { request, requestDigest: texts.requestDigest, at, authority: recordsForChecks.authority }
}

/** The missing members of an incomplete request may still contain digests that do not match. */
function judgeDigests({ request, texts }: Input): Judged {
  const pointers = digestFaults(request, texts?.requestDigest)
  if (pointers.length > 0) return digestRefusal(pointers)
  return texts === null ? NOT_EVALUATED : null
}

/** The signature of the mandate is verified at the same time. Its own check judges it later. */
async function judgeRequestSignature(
  { request, texts, agentKey }: Input,
  signatures: ValidSignatures,
): Promise<Judged> {
  const { requesting_agent: agent, buyer_mandate: mandate } = request
  if (agentKey === null || !texts?.signing) return signatureRefusal("DECISION_REQUEST")
  const [isValid] = await Promise.all([
    signatures.isValid(agentKey, texts.signing, agent.request_signature),
    signatures.verifyAhead(mandate.signature.key_id, () => canonicalize(mandate.payload), mandate.signature.value),
  ])
  return isValid ? null : signatureRefusal("DECISION_REQUEST")
}
