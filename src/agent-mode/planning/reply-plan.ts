/** One planning call: refusals, facts of one view of the database, plan, signature. It writes only the use of a continuation. */
import type {
  AgentPlanningIntent,
  PlanningContinuation,
  PlanningOperationId,
} from "../../../schemas/agent-mode/planning.ts"
import { digestOf } from "../../core/digest.ts"
import { type Signer, signedAnswer } from "../../core/signer.ts"
import { formatInstant, instant } from "../../core/time.ts"
import type { Call, Reply } from "../../http/call.ts"
import { notAdmittedError } from "../../http/free-writes.ts"
import type { Unit } from "../../store/engine/unit.ts"
import { findActiveOperationalKey, headDigestOf } from "../../store/identity/agent-identity.ts"
import { type ContinuationUse, isContinuationUsed, useContinuation } from "../../store/planning/continuations.ts"
import { continuationUsed, makeContinuation, requireContinuation } from "./continuation.ts"
import { factsDigest } from "./facts-digest.ts"
import { judgeReferences, NO_REFERENCES, type ReferenceLine } from "./judge-references.ts"
import { isOfCaller } from "./missing-inputs.ts"
import { OWN_MEMBERS } from "./own-members.ts"
import { type AgentState, type PlanningFacts, plan } from "./plan.ts"
import { type PlanningLine, planningCatalogue } from "./planning-catalogue.ts"
import type { PlanningDeps, PlanningSettings } from "./planning-deps.ts"
import { readReferences } from "./read-references.ts"
import { requireComplete, requireKnownInputs, resolveIntent } from "./resolve-intent.ts"
import { type PlannedIntent, planningId, planningResult } from "./result.ts"

/** Of a request without an operation. */
const NO_FACTS: PlanningFacts = { agent: "NOT_STATED", sources: [], arePaymentsOff: false, references: NO_REFERENCES }

/** Called once every route is registered, because the rows are complete only then. */
export function planReplies(deps: PlanningDeps) {
  const settings: PlanningSettings = {
    catalogue: planningCatalogue(deps.operations(), deps.shell.network),
    baseUrl: deps.baseUrl(),
    isUkRegisterLive: deps.isUkRegisterLive,
    paymentsMode: deps.paymentsMode,
  }
  return (operation: PlanningOperationId, call: Call<AgentPlanningIntent>) => replyPlan(deps, settings, operation, call)
}

async function replyPlan(
  deps: PlanningDeps,
  settings: PlanningSettings,
  operation: PlanningOperationId,
  call: Call<AgentPlanningIntent>,
): Promise<Reply> {
  const { body, at: now } = call
  const { catalogue } = settings
  const resolved = resolveIntent(body, catalogue, operation === "free_agent_preflight", now)
  const line = resolved.kind === "LINE" ? resolved.line : null
  if (line) requireKnownInputs(body, line)
  await deps.refreshKeys()
  const requestDigest = digestOf(body)
  const continued = continuationOf(deps, body, line, now)
  const use = continued && {
    continuationId: continued.continuation_id,
    usedBy: digestOf({ operation, request_digest: requestDigest }),
    expiresAt: continued.expires_at,
  }
  if (operation === "get_exact_agent_quote" && line) {
    if (use && (await deps.store.read(() => isContinuationUsed(use)))) throw continuationUsed()
    requireComplete(body, line)
  }
  const signer = deps.signer()
  if (use) await spendContinuation(deps, use, call)
  const at = instant(body.freshness_requirements.evaluated_at)
  const facts = line ? await gatherFacts(deps, body, line, at) : NO_FACTS
  const planned: PlannedIntent = {
    operation,
    body,
    at,
    requestDigest,
    factsDigest: factsDigest(facts, continued, settings),
    line,
    nearest: resolved.kind === "NONE" ? resolved.nearest : [],
    sources: facts.sources,
    references: facts.references,
    continuesPlanId: continued?.plan_id ?? null,
    ...(resolved.kind === "LINE"
      ? plan(body, resolved.line, facts, at)
      : { outcome: resolved.outcome, reasonCodes: [resolved.reasonCode], missing: [] }),
  }
  const result = planningResult(planned, continuationFor(deps, planned, signer), settings)
  const answer = signedAnswer(signer, { ...result, ...OWN_MEMBERS[operation](planned, catalogue) })
  return { status: 200, body: answer, note: { outcome: planned.outcome } }
}

/** Throws CONTINUATION_BINDING_MISMATCH or CONTINUATION_EXPIRED. */
function continuationOf(
  deps: PlanningDeps,
  body: AgentPlanningIntent,
  line: PlanningLine | null,
  now: number,
): PlanningContinuation | null {
  const { continuation } = body
  if (continuation === null) return null
  const judge = { baseUrl: deps.baseUrl(), findKey: deps.findKey, now }
  const bound = line ?? { productId: null, jurisdiction: null, coverage: null }
  const token = typeof continuation === "string" ? continuation : continuation.token
  return requireContinuation(token, body, bound, judge)
}

/** What the service holds now. The agent and the evidence are read on one view of the database. */
async function gatherFacts(
  deps: PlanningDeps,
  body: AgentPlanningIntent,
  line: PlanningLine,
  at: number,
): Promise<PlanningFacts> {
  const { max_age_seconds: maxAge } = body.freshness_requirements
  const { agent, references } = await deps.store.readTogether(() => readRecords(deps, body, at))
  return {
    agent,
    sources: line.isPaid && line.productId ? deps.sourcesOf(line.productId, maxAge, at) : [],
    arePaymentsOff: deps.paymentsMode === "off",
    references: judgeReferences(references, line, body, at),
  }
}

interface Records {
  readonly agent: AgentState
  readonly references: readonly ReferenceLine[]
}

function* readRecords(deps: PlanningDeps, body: AgentPlanningIntent, at: number): Unit<Records> {
  const { requesting_agent, evidence_references } = body
  return {
    agent: yield* readAgentState(requesting_agent?.agent_id ?? null),
    references: yield* readReferences(evidence_references, deps, formatInstant(at)),
  }
}

function* readAgentState(agentId: string | null): Unit<AgentState> {
  if (agentId === null) return "NOT_STATED"
  if ((yield* findActiveOperationalKey(agentId)) !== null) return "ACTIVE"
  return (yield* headDigestOf(agentId)) === null ? "UNKNOWN" : "NO_ACTIVE_KEY"
}

/** CHOICE: only readiness issues one: the caller can supply something, and nothing but authority, budget and inputs is in the way. */
function continuationFor({ baseUrl }: PlanningDeps, planned: PlannedIntent, signer: Signer) {
  const { operation, line, outcome, missing, body } = planned
  const isInCallersHand = ["INSUFFICIENT_AUTHORITY", "INSUFFICIENT_BUDGET", "NEEDS_INPUT"].includes(outcome)
  if (operation !== "get_autonomous_readiness" || !line || !isInCallersHand || !missing.some(isOfCaller)) return null
  const ids = {
    audience: baseUrl(),
    continuation_id: planningId("cnt", planned),
    plan_id: planningId("pln", planned),
  }
  return makeContinuation(body, line, ids, signer)
}

/** Throws when another request has used the continuation, or the share of the caller is used up. */
async function spendContinuation(
  { store }: Pick<PlanningDeps, "store">,
  use: ContinuationUse,
  call: Pick<Call<unknown>, "at" | "writer">,
): Promise<void> {
  const writer = call.writer()
  const outcome = await store.run(() => useContinuation(use, writer))
  if (outcome.kind === "NOT_ADMITTED") throw notAdmittedError(outcome, call.at)
  if (outcome.kind === "USED_BY_OTHER") throw continuationUsed()
}
