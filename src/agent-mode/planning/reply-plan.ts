/** One planning call: refusals, facts of one view of the database, plan, signature. It writes only the use of a continuation. */
import type {
  AgentPlanningIntent,
  PlanningContinuation,
  PlanningOperationId,
} from "../../../schemas/agent-mode/planning.ts"
import { signedAnswerBytes, signedAnswerBytesAside } from "../../core/crypto/signed-answer-bytes.ts"
import { digestOf } from "../../core/digest.ts"
import type { Signer } from "../../core/signer.ts"
import { formatInstant, instant } from "../../core/time.ts"
import type { RequiredSource } from "../../delivery/sale.ts"
import type { Call, Reply } from "../../http/call.ts"
import { notAdmittedError } from "../../http/free-writes.ts"
import type { Unit } from "../../store/engine/unit.ts"
import { type ContinuationUse, isContinuationUsed, useContinuation } from "../../store/planning/continuations.ts"
import { HAS_OTHER_PROCESSORS, untilHandover } from "../other-processors.ts"
import { continuationUsed, makeContinuation, requireContinuation } from "./continuation.ts"
import { FactsDigests } from "./facts-digests.ts"
import { judgeReferences, NO_REFERENCES, type ReferenceLine } from "./judge-references.ts"
import { NONE_MISSING } from "./missing-inputs.ts"
import { OWN_MEMBERS } from "./own-members.ts"
import { type AgentState, type PlanningFacts, plan } from "./plan.ts"
import { type PlanningCatalogue, type PlanningLine, planningCatalogue } from "./planning-catalogue.ts"
import type { PlanningDeps } from "./planning-deps.ts"
import { PlanningReads } from "./planning-reads.ts"
import { readReferences } from "./read-references.ts"
import { requireComplete, requireKnownInputs, resolveIntent } from "./resolve-intent.ts"
import { type PlannedIntent, PlanWriter, planningId } from "./result.ts"

const NO_SOURCES: readonly RequiredSource[] = []

const NO_FACTS: Omit<PlanningFacts, "arePaymentsOff"> = {
  agent: "NOT_STATED",
  sources: NO_SOURCES,
  references: NO_REFERENCES,
}

/** Called once every route is registered, because the rows are complete only then. */
export function planReplies(deps: PlanningDeps) {
  const catalogue = planningCatalogue(deps.operations())
  const reads = new PlanningReads(deps.store, deps.refreshKeys)
  const parts = {
    catalogue,
    baseUrl: deps.baseUrl(),
    isUkRegisterLive: deps.isUkRegisterLive,
    paymentsMode: deps.paymentsMode,
  }
  const plans = { ...deps, catalogue, reads, writer: new PlanWriter(parts), digests: new FactsDigests(parts) }
  return (operation: PlanningOperationId, call: Call<AgentPlanningIntent>) => replyPlan(plans, operation, call)
}

interface PlanDeps extends PlanningDeps {
  readonly catalogue: PlanningCatalogue
  readonly reads: PlanningReads
  readonly writer: PlanWriter
  readonly digests: FactsDigests
}

async function replyPlan(
  deps: PlanDeps,
  operation: PlanningOperationId,
  call: Call<AgentPlanningIntent>,
): Promise<Reply> {
  const { body, at: now, poll } = call
  const { catalogue, reads } = deps
  const resolved = resolveIntent(body, catalogue, operation === "free_agent_preflight", now)
  const line = resolved.kind === "LINE" ? resolved.line : null
  if (line) requireKnownInputs(body, line)
  await reads.begin(poll)
  const kept = body.evidence_references.length === 0 ? reads.keptState(body.requesting_agent?.agent_id ?? null) : null
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
  let facts: PlanningFacts = { ...NO_FACTS, arePaymentsOff: false }
  if (line) {
    const read =
      kept === null
        ? await deps.store.readTogether((version) => readFacts(deps, body, at, version))
        : { agent: kept, references: [] }
    facts = factsOf(deps, read, body, line, at)
  }
  const planned: PlannedIntent = {
    operation,
    body,
    at,
    requestDigest,
    factsDigest: deps.digests.of(facts, continued),
    line,
    nearest: resolved.kind === "NONE" ? resolved.nearest : [],
    sources: facts.sources,
    references: facts.references,
    continuesPlanId: continued?.plan_id ?? null,
    ...(resolved.kind === "LINE"
      ? plan(body, resolved.line, facts, at)
      : { outcome: resolved.outcome, reasonCodes: [resolved.reasonCode], missing: NONE_MISSING }),
  }
  const continuation = continuationFor(deps, planned, signer)
  const payload = deps.writer.payload(planned, OWN_MEMBERS[operation](planned, catalogue), continuation)
  const note = { outcome: planned.outcome }
  if (!HAS_OTHER_PROCESSORS) return { status: 200, body: signedAnswerBytes(signer, payload), note }
  await untilHandover(deps.shell)
  return { status: 200, body: await signedAnswerBytesAside(signer, payload), note }
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

interface ReadFacts {
  readonly agent: AgentState
  readonly references: readonly ReferenceLine[]
}

/** `version` of the view. */
function* readFacts(deps: PlanDeps, body: AgentPlanningIntent, at: number, version: number): Unit<ReadFacts> {
  const { requesting_agent, evidence_references } = body
  return {
    agent: yield* deps.reads.readState(requesting_agent?.agent_id ?? null, version),
    references: yield* readReferences(evidence_references, deps, formatInstant(at)),
  }
}

function factsOf(
  deps: PlanDeps,
  { agent, references }: ReadFacts,
  body: AgentPlanningIntent,
  line: PlanningLine,
  at: number,
): PlanningFacts {
  const { max_age_seconds: maxAge } = body.freshness_requirements
  return {
    agent,
    sources: line.isPaid && line.productId ? deps.sourcesOf(line.productId, maxAge, at) : NO_SOURCES,
    arePaymentsOff: deps.paymentsMode === "off",
    references: references.length === 0 ? NO_REFERENCES : judgeReferences(references, line, body, at),
  }
}

/** CHOICE: only readiness issues one: the caller can supply something, and nothing but authority, budget and inputs is in the way. */
function continuationFor({ baseUrl }: PlanDeps, planned: PlannedIntent, signer: Signer) {
  const { operation, line, outcome, missing, body } = planned
  const isInCallersHand = ["INSUFFICIENT_AUTHORITY", "INSUFFICIENT_BUDGET", "NEEDS_INPUT"].includes(outcome)
  if (operation !== "get_autonomous_readiness" || !line || !isInCallersHand || !missing.hasCallers) return null
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
  const outcome = await store.run(() => useContinuation(use, formatInstant(call.at), writer))
  if (outcome.kind === "NOT_ADMITTED") throw notAdmittedError(outcome, call.at)
  if (outcome.kind === "USED_BY_OTHER") throw continuationUsed()
}
