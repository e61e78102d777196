/** What each planning route adds to the result that all have. */
import { type Static, type TSchema, Type } from "@sinclair/typebox"
import { closed, DateTime, digestOver, enumeration, signedDocument } from "../common.ts"
import { text } from "../text.ts"
import { AtomicUnits, endMembers, Word } from "./notation.ts"
import { resultMembers } from "./planning.ts"

const Name = text(1, 160)
const NameOrNull = Type.Union([Name, Type.Null()])

function signedResult<T extends Record<string, TSchema>>(id: string, own: T) {
  const payload = closed({ ...resultMembers, ...own, ...endMembers })
  return signedDocument(payload, { $id: id })
}

export const PreflightResult = signedResult("free_agent_preflightResponse", {})

const readinessMembers = { readiness: enumeration("READY", "NEEDS_INPUT", "BLOCKED") } as const
export const ReadinessResult = signedResult("get_autonomous_readinessResponse", readinessMembers)

const Quote = closed({
  product_id: NameOrNull,
  amount: Name,
  amount_atomic: AtomicUnits,
  asset: Name,
  network: NameOrNull,
  scheme: Type.Union([Type.Literal("exact"), Type.Null()]),
  body_digest: Type.Union([digestOver("C14N of the whole body, as input_digests names it"), Type.Null()]),
  deterministic: Type.Literal(true),
  reservation: Type.Literal(false),
  not_a_charge: Type.Literal(true),
  quote_digest: digestOver("C14N of the quote without this member"),
})
export type ExactQuote = Static<typeof Quote>
const quoteMembers = { quote: Type.Union([Quote, Type.Null()]) } as const
export const QuoteResult = signedResult("get_exact_agent_quoteResponse", quoteMembers)

const RouteKind = enumeration("REUSE", "FREE_HTTP", "X402_HTTP", "X402_MCP", "ACP_JOB")
const RankedRoute = closed({
  kind: RouteKind,
  operation_id: Name,
  price_atomic: AtomicUnits,
  valid: Type.Boolean(),
  reason_codes: Type.Array(Word),
})
export type RankedRoute = Static<typeof RankedRoute>
const routeMembers = {
  selected_route: Type.Union([closed({ kind: RouteKind, operation_id: Name }), Type.Null()]),
  ranked_routes: Type.Array(RankedRoute),
} as const
export const RouteResult = signedResult("select_best_valid_routeResponse", routeMembers)

const ReferenceDigest = digestOver("the evidence, as the planning request names it")

const Reusable = closed({
  digest: ReferenceDigest,
  product_id: NameOrNull,
  effect: enumeration("REPLACES_PURCHASE", "ACCEPTED_AS_EVIDENCE"),
  valid_until: Type.Union([DateTime, Type.Null()]),
})
export type ReusableReference = Static<typeof Reusable>
const Rejected = closed({
  digest: ReferenceDigest,
  reason_code: enumeration(
    "NOT_AUTHORIZED_BY_CALLER",
    "REFERENCE_NOT_FOUND",
    "EXPIRED",
    "REVOKED",
    "DECISION_NOT_POSITIVE",
    "PRODUCT_DIFFERS",
    "SUBJECT_NOT_STATED",
    "SUBJECT_DIFFERS",
  ),
})
export type RejectedReference = Static<typeof Rejected>
const reuseMembers = {
  reusable: Type.Array(Reusable),
  rejected: Type.Array(Rejected),
  acquisition_delta: closed({
    items: Type.Array(closed({ product_id: Name, price_atomic: AtomicUnits })),
    total_atomic: AtomicUnits,
    without_reuse_atomic: AtomicUnits,
  }),
} as const
export const ReuseResult = signedResult("preview_evidence_reuseResponse", reuseMembers)
