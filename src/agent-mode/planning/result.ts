/** The answer of a planning route, from a finished plan. Pure: no clock, no randomness, no id of the request enters. */
import type {
  AgentPlanningIntent,
  Alternative,
  PlanningOperationId,
  PlanningOutcome,
  PlanningResult,
} from "../../../schemas/agent-mode/planning.ts"
import type { Operation } from "../../../schemas/operation.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import type { Digest } from "../../core/digest.ts"
import { formatId, ID_RANDOM_BYTES } from "../../core/ids.ts"
import { sha256 } from "../../core/sha256.ts"
import { formatInstant, MINUTE } from "../../core/time.ts"
import type { RequiredSource } from "../../delivery/sale.ts"
import { CONTRACT, NO_EFFECTS } from "../answer-members.ts"
import type { JudgedReferences } from "./judge-references.ts"
import type { Plan } from "./plan.ts"
import type { PlanningLine } from "./planning-catalogue.ts"
import type { PlanningSettings } from "./planning-deps.ts"

/** CHOICE: a plan holds for fifteen minutes at most. */
const VALID_MS = 15 * MINUTE
const ALTERNATIVES_MAX = 16

export interface PlannedIntent extends Plan {
  readonly operation: PlanningOperationId
  readonly body: AgentPlanningIntent
  /** Milliseconds: `evaluated_at`. */
  readonly at: number
  readonly requestDigest: Digest
  readonly factsDigest: Digest
  /** Null if no operation is planned. */
  readonly line: PlanningLine | null
  readonly nearest: readonly PlanningLine[]
  readonly sources: readonly RequiredSource[]
  readonly references: JudgedReferences
  readonly continuesPlanId: string | null
}

const NEXT: Readonly<Record<PlanningOutcome, string>> = {
  NOT_IMPLEMENTED: "STOP_AND_SEEK_ALTERNATIVE",
  UNSUPPORTED: "STOP_AND_SEEK_ALTERNATIVE",
  REUSE_AVAILABLE: "REUSE_EVIDENCE_DO_NOT_PURCHASE",
  SOURCE_UNAVAILABLE: "RETRY_LATER_WITHOUT_PAYMENT",
  SOURCE_STALE: "RETRY_LATER_WITHOUT_PAYMENT",
  NOT_SOLD_NOW: "STOP_AND_SEEK_ALTERNATIVE",
  INSUFFICIENT_AUTHORITY: "OBTAIN_AUTHORITY",
  INSUFFICIENT_BUDGET: "STOP_OR_RAISE_BUDGET",
  NEEDS_INPUT: "PROVIDE_MISSING_INPUTS",
  SUPPORTED: "REQUEST_QUOTE",
}

/** `pln_…` or `cnt_…`: equal for equal requests and facts. */
export function planningId(
  prefix: "pln" | "cnt",
  { operation, requestDigest, factsDigest }: Pick<PlannedIntent, "operation" | "requestDigest" | "factsDigest">,
): string {
  const bytes = canonicalBytes({ operation, request_digest: requestDigest, facts_digest: factsDigest })
  return formatId(prefix, sha256(bytes).subarray(0, ID_RANDOM_BYTES))
}

/** The members that the results of all planning routes have. */
export function planningResult(
  planned: PlannedIntent,
  continuation: PlanningResult["continuation"],
  settings: PlanningSettings,
): PlanningResult {
  const { body, at, line, outcome, sources } = planned
  return {
    ...CONTRACT,
    domain: "svc.planning.result.v1",
    service: settings.baseUrl,
    operation: planned.operation,
    plan_id: planningId("pln", planned),
    request_digest: planned.requestDigest,
    facts_digest: planned.factsDigest,
    intent: body.intent,
    product_id: line?.productId ?? null,
    outcome,
    reason_codes: [...planned.reasonCodes],
    missing_inputs: [...planned.missing],
    coverage: coverageOf(line, settings),
    source_health: sourceHealth(sources),
    maximum_price: line && priceOf(line),
    alternatives: alternatives(planned, settings),
    continuation,
    continues_plan_id: planned.continuesPlanId,
    valid_as_of: formatInstant(at),
    valid_until: formatInstant(validUntil(at, sources)),
    effects: NO_EFFECTS,
    limitations: limitations(line, body),
    next_machine_action: outcome === "SUPPORTED" && line?.isPaid !== true ? "CALL_OPERATION" : NEXT[outcome],
  }
}

/** CHOICE: a plan whose source is stale already ends as it begins. */
function validUntil(at: number, sources: readonly RequiredSource[]): number {
  const ends = sources.map(({ staleAt }) => staleAt ?? Number.POSITIVE_INFINITY)
  return Math.max(at, Math.min(at + VALID_MS, ...ends))
}

function coverageOf(
  line: PlanningLine | null,
  { isUkRegisterLive }: Pick<PlanningSettings, "isUkRegisterLive">,
): PlanningResult["coverage"] {
  return {
    jurisdiction: line?.jurisdiction ?? null,
    coverage: line?.coverage ?? null,
    supported: line !== null,
    limitations: line?.jurisdiction === "GB" && isUkRegisterLive ? ["LIVE_REGISTER_NOT_ASKED"] : [],
  }
}

function sourceHealth(sources: readonly RequiredSource[]): PlanningResult["source_health"] {
  return Object.fromEntries(
    sources.map(({ sourceId, health, staleAt }) => [sourceId, { health, stale_at: instantOrNull(staleAt) }]),
  )
}

/** RFC 3339. `at` in milliseconds. */
export function instantOrNull(at: number | null): string | null {
  return at === null ? null : formatInstant(at)
}

export function priceOf({ price }: PlanningLine) {
  const { amount, amountAtomic, asset, network } = price
  return { amount, amount_atomic: amountAtomic, asset, network }
}

function alternatives(
  { line, nearest, references }: PlannedIntent,
  { catalogue, baseUrl }: PlanningSettings,
): Alternative[] {
  const found: Alternative[] = []
  const add = (kind: Alternative["kind"], row: Operation | undefined) => {
    if (!row || found.some(({ operation_id }) => operation_id === row.id)) return
    found.push({ kind, operation_id: row.id, method: row.method, uri: `${baseUrl}${row.path}` })
  }
  for (const { operation } of nearest) add("OPERATION", operation)
  if (line?.isPaid) {
    add("FREE_CHECK", catalogue.byPath.get(`${line.operation.path}/eligibility`))
    add("RECOVER", catalogue.byPath.get(`${line.operation.path}/recover`))
    if (references.reusable.length > 0) add("EVIDENCE", catalogue.byId.get("preview_evidence_reuse"))
  }
  return found.slice(0, ALTERNATIVES_MAX)
}

function limitations(line: PlanningLine | null, { budget }: Pick<AgentPlanningIntent, "budget">): string[] {
  return [
    "NO_SOURCE_WAS_ASKED",
    "STATE_MAY_CHANGE_BEFORE_THE_QUOTE",
    ...(line && line.needs.length > 0 ? ["AUTHORITY_NOT_EVALUATED"] : []),
    ...(budget === null ? ["BUDGET_NOT_STATED"] : []),
  ]
}
