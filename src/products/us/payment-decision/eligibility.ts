/**
 * Runs the pre-quote checks on a partial request and reports every line. A line that reveals something about a buyer, an agent, a mandate
 * or the service's records is NOT_EVALUATED unless the request signature verifies (rulings 28). A line about a buyer also requires that the
 * agent holds a delegation of that buyer. Creates no quote and no charge.
 */

import type {
  EligibilityCheckId,
  EligibilityLine,
  EligibilityRequest,
  EligibilityResponse,
} from "../../../../schemas/us/eligibility.ts"
import {
  type DecisionRequest,
  decisionRequestMembers,
  PAYMENT_DECISION_PATH,
  PAYMENT_DECISION_PRODUCT,
} from "../../../../schemas/us/payment-decision.ts"
import type { ServiceError } from "../../../base/errors.ts"
import { catalogue, type ErrorCode } from "../../../base/refusals.ts"
import { requestTexts } from "../../../checks/policy/digests.ts"
import { digestBytes } from "../../../core/digest.ts"
import { formatInstant } from "../../../core/time.ts"
import { judgeKnownSale } from "../../../delivery/known-sale.ts"
import type { Call, Reply } from "../../../http/call.ts"
import { reusableMembers } from "../../../http/problem.ts"
import type { SourceBoard } from "../../../sources/boards/source-board.ts"
import type { Store } from "../../../store/engine/unit.ts"
import { judgeLines, linePointers, NOT_EVALUATED, type PreQuoteCheck } from "../../common/pre-quote-check.ts"
import { lookUpRegistration, type Registers } from "../registration.ts"
import { judgeAgentKey, readAgentKey } from "../signing-agent.ts"
import { judgeValidity } from "../source-checks.ts"
import { authorityEnd, judgeMandate, requestDelegation } from "./authority.ts"
import { coverage } from "./core-response.ts"
import { judgeEarlierAuthorization } from "./earlier-authorization.ts"
import type { Inquiry } from "./inquiry.ts"
import {
  AUTHORITY_CHECKS,
  type DecisionCheck,
  ENTRY_CHECKS,
  EVALUATION_TIME,
  judgeRequestSignature,
} from "./pre-quote-checks.ts"
import { readForQuote, saleKeys } from "./sell.ts"
import { judgeLegalNameUnscreened } from "./supplier-checks.ts"

export interface EligibilityDeps {
  readonly store: Store
  readonly sources: SourceBoard
  readonly registers: Registers
  readonly baseUrl: () => string
}

const ALL_MEMBERS = Object.keys(decisionRequestMembers) as (keyof DecisionRequest)[]

interface FreeInquiry extends Inquiry {
  /** The rejection of the paid route for a sale under the agent's own idempotency key, or null if it would quote. */
  readonly known: ServiceError | null
}
type Check = PreQuoteCheck<FreeInquiry, EligibilityCheckId>

/** Checks that differ from the paid route's check of the same name. */
const OTHERWISE: Partial<Record<EligibilityCheckId, (check: DecisionCheck) => Check>> = {
  // Missing members may still contain digests that do not match.
  DIGESTS: (check) => ({
    ...check,
    judge: (inquiry) => check.judge(inquiry) ?? (inquiry.texts === null ? NOT_EVALUATED : null),
  }),
  // The signature covers the whole request.
  REQUEST_SIGNATURE: (check) => ({ ...check, needs: ALL_MEMBERS }),
  // Any agent may sign a request in the name of any organization. An agent without a current delegation learns only that. It does not learn
  // whether the organization is known, verified or revoked, nor, from the records, whom the organization pays.
  BUYER: (check) => ({ ...check, judge: (inquiry) => (isStranger(inquiry) ? NOT_EVALUATED : check.judge(inquiry)) }),
  LEGAL_NAME: (check) => ({ ...check, judge: judgeLegalNameUnscreened }),
  // The end of the authority has no line of its own. The line of the mandate shows it, because a new mandate usually fixes it.
  MANDATE: (check) => ({
    ...check,
    judge: (inquiry) => judgeMandate(inquiry) ?? judgeValidity(authorityEnd(inquiry), inquiry.at),
  }),
}
/** The paid route looks for a sale under the agent's own idempotency key before the other checks. */
const IDEMPOTENCY_KEY: Check = { id: "IDEMPOTENCY_KEY", needs: ALL_MEMBERS, private: true, judge: ({ known }) => known }
const asCheck = (check: DecisionCheck): Check => OTHERWISE[check.id]?.(check) ?? check
const ORDER: readonly Check[] = [
  ...ENTRY_CHECKS.map(asCheck),
  IDEMPOTENCY_KEY,
  ...[EVALUATION_TIME, ...AUTHORITY_CHECKS].map(asCheck),
]

export async function eligibility(deps: EligibilityDeps, call: Call<EligibilityRequest>): Promise<Reply> {
  const { body, at } = call
  const missing = ALL_MEMBERS.filter((member) => !Object.hasOwn(body, member))
  const inquiry = await inquire(deps, body, missing.length === 0, at)
  const checks = [completeness(missing), ...(await judged(inquiry, missing))]
  const eligible = checks.every(({ state }) => state === "PASSED")
  const isRegistered = body.supplier && lookUpRegistration(deps.registers, body.supplier, at) !== null
  const answer: EligibilityResponse = {
    schema_version: "1.0.0",
    product: PAYMENT_DECISION_PRODUCT,
    eligible,
    checks,
    ...reusableDecision(inquiry, checks),
    required_information: missing.map((member) => `/${member}`),
    coverage: coverage(isRegistered ? [] : ["ENTITY_REGISTRATION_NOT_CHECKED"]),
    charged: false,
    quote_created: false,
    limitations: ["ELIGIBILITY_IS_NOT_A_DECISION", "STATE_MAY_CHANGE_BEFORE_THE_QUOTE"],
    valid_as_of: formatInstant(at),
    next_machine_action: nextAction(checks),
  }
  return { status: 200, body: answer, note: { eligible } }
}

/** Reads the service's records only for a complete request that an active key of the agent signed. */
async function inquire(
  deps: EligibilityDeps,
  given: EligibilityRequest,
  whole: boolean,
  at: number,
): Promise<FreeInquiry> {
  // Safe: a check whose members are missing never runs, and `needs` lists every member that a check reads.
  const request = given as DecisionRequest
  const bare = {
    request,
    requestDigest: "",
    texts: null,
    at,
    agentKey: null,
    authority: null,
    supplier: null,
    earlier: null,
    known: null,
    baseUrl: deps.baseUrl(),
    sources: deps.sources,
    registers: deps.registers,
  }
  if (!whole) return bare
  const texts = requestTexts(request)
  const signed = {
    ...bare,
    requestDigest: texts.requestDigest,
    texts,
    agentKey: await deps.store.read(() => readAgentKey(request)),
  }
  if (judgeAgentKey(signed) !== null || judgeRequestSignature(signed) !== null) return signed
  const { records, judged } = await deps.store.read(() =>
    readForQuote(PAYMENT_DECISION_PRODUCT, saleKeys(request, texts), request, at),
  )
  const body = { bodyDigest: digestBytes(texts.whole), rawBodyDigest: null }
  const known = judgeKnownSale({ recoverPath: `${PAYMENT_DECISION_PATH}/recover` }, records, body)
  return { ...signed, ...judged, known }
}

function completeness(missing: readonly string[]): EligibilityLine {
  const pointers = missing.map((member) => `/${member}`)
  return pointers.length === 0
    ? { check_id: "REQUEST_COMPLETE", state: "PASSED", code: null, pointers }
    : { check_id: "REQUEST_COMPLETE", state: "FAILED", code: "SCHEMA_INVALID", pointers }
}

async function judged(inquiry: Inquiry, missing: readonly string[]): Promise<EligibilityLine[]> {
  return (await judgeLines(ORDER, inquiry, missing)).map((line) => ({
    check_id: line.checkId,
    state: line.state,
    code: line.refusal?.code ?? null,
    pointers: linePointers(line),
  }))
}

function isStranger(inquiry: Inquiry): boolean {
  return requestDelegation(inquiry).fault === "DELEGATION_NOT_ACTIVE"
}

/** The decision behind REUSABLE_DECISION_EXISTS, for a caller who may see it. */
function reusableDecision(
  inquiry: Inquiry,
  lines: readonly EligibilityLine[],
): Pick<EligibilityResponse, "reusable_decision"> {
  if (!lines.some(({ code }) => code === "REUSABLE_DECISION_EXISTS")) return {}
  const reusable = judgeEarlierAuthorization(inquiry)?.context.reusable
  return reusable ? { reusable_decision: reusableMembers(reusable) } : {}
}

/** Returns the next action for the first failed line, as the paid route would state it. An incomplete request must be completed first. */
function nextAction(lines: readonly EligibilityLine[]): string {
  const failed = lines.find(({ state }) => state === "FAILED")
  if (failed?.code) return catalogue[failed.code as ErrorCode].next
  return lines.every(({ state }) => state === "PASSED") ? "REQUEST_QUOTE" : "CORRECT_REQUEST"
}
