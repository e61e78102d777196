/** One planning call: refusals, facts of one view of the database, plan, signature. It writes only the use of a continuation. */
import type {
  AgentPlanningIntent,
  PlanningContinuation,
  PlanningOperationId,
  PlanningResult,
} from "../../../../schemas/agent-mode/planning.ts"
import { canonicalMembers, joinMembers } from "../../../core/canonical-json.ts"
import { digestOf } from "../../../core/digest.ts"
import { type Signer, signedAnswerText } from "../../../core/signer.ts"
import { formatInstant, instant } from "../../../core/time.ts"
import type { Call, Reply } from "../../../http/call.ts"
import { findActiveOperationalKey, headDigestOf } from "../../../store/identity/agent-identity.ts"
import { isContinuationUsed, useContinuation } from "../../../store/planning/continuations.ts"
import type { Unit } from "../../../store/unit.ts"
import { continuationUsed, makeContinuation, requireContinuation } from "./continuation.ts"
import { judgeReferences } from "./judge-references.ts"
import { OWN_MEMBERS } from "./own-members.ts"
import { type AgentState, isCallersInput, type PlanningFacts, plan } from "./plan.ts"
import { type PlanningCatalogue, type PlanningLine, planningCatalogue } from "./planning-catalogue.ts"
import type { PlanningDeps } from "./planning-deps.ts"
import { readReferences } from "./read-references.ts"
import { requireComplete, requireKnownInputs, resolveIntent } from "./resolve-intent.ts"
import { type PlannedIntent, planningId, planningResult } from "./result.ts"

const NO_FACTS: Omit<PlanningFacts, "arePaymentsOff"> = {
  agent: "NOT_STATED",
  sources: [],
  references: { reusable: [], rejected: [] },
}

/** Called once every route is registered, because the rows are complete only then. */
export function planReplies(deps: PlanningDeps) {
  const catalogue = planningCatalogue(deps.operations())
  return (operation: PlanningOperationId, call: Call<AgentPlanningIntent>) =>
    replyPlan(deps, catalogue, operation, call)
}

async function replyPlan(
  deps: PlanningDeps,
  catalogue: PlanningCatalogue,
  operation: PlanningOperationId,
  { body, at: now }: Call<AgentPlanningIntent>,
): Promise<Reply> {
  const resolved = resolveIntent(body, catalogue, operation === "free_agent_preflight", now)
  const line = resolved.kind === "LINE" ? resolved.line : null
  if (line) requireKnownInputs(body, line)
  await deps.refreshKeys()
  const requestDigest = digestOf(body)
  const continued = continuationOf(deps, body, line, now)
  const usedBy = digestOf({ operation, request_digest: requestDigest })
  if (operation === "get_exact_agent_quote" && line) {
    const use = continued && { continuationId: continued.continuation_id, usedBy }
    if (use && (await deps.store.read(() => isContinuationUsed(use)))) throw continuationUsed()
    requireComplete(body, line)
  }
  const signer = deps.signer()
  if (continued) await spend(deps, continued, usedBy, now)
  const at = instant(body.freshness_requirements.evaluated_at)
  const facts = line ? await factsOf(deps, body, line, at) : { ...NO_FACTS, arePaymentsOff: false }
  const planned: PlannedIntent = {
    operation,
    body,
    at,
    baseUrl: deps.baseUrl(),
    requestDigest,
    factsDigest: factsDigest(deps, catalogue, facts, continued),
    line,
    nearest: resolved.kind === "NONE" ? resolved.nearest : [],
    sources: facts.sources,
    references: facts.references,
    continuesPlanId: continued?.plan_id ?? null,
    isUkRegisterLive: deps.isUkRegisterLive,
    ...(resolved.kind === "LINE"
      ? plan(body, resolved.line, facts, at)
      : { outcome: resolved.outcome, reasonCodes: [resolved.reasonCode], missing: [] }),
  }
  const payload = {
    ...planningResult(planned, catalogue),
    ...OWN_MEMBERS[operation](planned, catalogue),
    continuation: continuationFor(planned, signer),
  }
  return {
    status: 200,
    body: signedAnswerText(signer, payloadText(payload, planned)),
    note: { outcome: planned.outcome },
  }
}

/** The canonical text of the payload. The texts of the missing inputs are most of it, and are printed already. */
function payloadText(payload: PlanningResult, { missing }: PlannedIntent): string {
  const members = canonicalMembers({ ...payload, missing_inputs: [] })
  members.set("missing_inputs", `[${missing.map(({ text }) => text).join(",")}]`)
  return joinMembers(members)
}

/** Throws CONTINUATION_BINDING_MISMATCH or CONTINUATION_EXPIRED. */
function continuationOf(
  deps: PlanningDeps,
  body: AgentPlanningIntent,
  line: PlanningLine | null,
  now: number,
): PlanningContinuation | null {
  if (body.continuation === null) return null
  const judge = { baseUrl: deps.baseUrl(), findKey: deps.findKey }
  const bound = line ?? { productId: null, jurisdiction: null, coverage: null }
  return requireContinuation(body.continuation.token, body, bound, judge, now)
}

async function spend(
  { store }: PlanningDeps,
  { continuation_id: continuationId, expires_at: expiresAt }: PlanningContinuation,
  usedBy: string,
  now: number,
): Promise<void> {
  const isOurs = await store.run(() => useContinuation({ continuationId, usedBy, expiresAt }, formatInstant(now)))
  if (!isOurs) throw continuationUsed()
}

async function factsOf(
  deps: PlanningDeps,
  body: AgentPlanningIntent,
  line: PlanningLine,
  at: number,
): Promise<PlanningFacts> {
  const { requesting_agent, evidence_references, freshness_requirements } = body
  const { agent, references } = await deps.store.readTogether(function* () {
    return {
      agent: yield* agentState(requesting_agent?.agent_id ?? null),
      references: yield* readReferences(evidence_references, deps, formatInstant(at)),
    }
  })
  const { max_age_seconds: maxAge } = freshness_requirements
  return {
    agent,
    sources: line.isPaid && line.productId ? deps.sourcesOf(line.productId, maxAge, at) : [],
    arePaymentsOff: deps.paymentsMode === "off",
    references: judgeReferences(references, line, body, at),
  }
}

function* agentState(agentId: string | null): Unit<AgentState> {
  if (agentId === null) return "NOT_STATED"
  if (yield* findActiveOperationalKey(agentId)) return "ACTIVE"
  return (yield* headDigestOf(agentId)) === null ? "UNKNOWN" : "NO_ACTIVE_KEY"
}

/** INVARIANT: of every fact that a result depends on. The signing key alone is left out: the signature names it. */
function factsDigest(
  { paymentsMode, isUkRegisterLive, baseUrl }: PlanningDeps,
  catalogue: PlanningCatalogue,
  { sources, agent, references }: PlanningFacts,
  continued: PlanningContinuation | null,
) {
  return digestOf({
    catalogue: catalogue.digest,
    service: baseUrl(),
    payments: paymentsMode,
    is_uk_register_live: isUkRegisterLive,
    sources: sources.map(({ sourceId, health, staleAt }) => ({
      source_id: sourceId,
      health,
      stale_at: staleAt === null ? null : formatInstant(staleAt),
    })),
    agent,
    references,
    continues: continued?.plan_id ?? null,
  })
}

/** CHOICE: only readiness issues one: the caller can supply something, and nothing but authority, budget and inputs is in the way. */
function continuationFor(planned: PlannedIntent, signer: Signer) {
  const { operation, line, outcome, missing, body, baseUrl } = planned
  const isInCallersHand = ["INSUFFICIENT_AUTHORITY", "INSUFFICIENT_BUDGET", "NEEDS_INPUT"].includes(outcome)
  if (operation !== "get_autonomous_readiness" || !line || !isInCallersHand || !missing.some(isCallersInput))
    return null
  const ids = {
    audience: baseUrl,
    continuation_id: planningId("cnt", planned),
    plan_id: planningId("pln", planned),
  }
  return makeContinuation(body, line, ids, signer)
}
