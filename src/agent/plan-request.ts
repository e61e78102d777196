/** Asks a service to plan a draft. Only pointers and digests of the draft leave the machine, never its values. */

import { Value } from "@sinclair/typebox/value"
import type { AgentPlanningIntent, EvidenceReference } from "../../schemas/agent-mode/planning.ts"
import { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import type { Machine } from "../base/machine.ts"
import { encodeBase64url } from "../core/base64url.ts"
import { digestOf } from "../core/digest.ts"
import { pointerStep } from "../core/json-pointer.ts"
import { isJsonObject, type JsonValue, memberOf } from "../core/strict-json.ts"
import { formatInstant } from "../core/time.ts"
import { SERVED_NETWORK } from "../payments/networks/networks.ts"
import { ANSWER_RULES } from "../products/products.ts"

interface PlanQuestion {
  readonly intent: string
  readonly draft: JsonValue
  readonly productId: string | null
  readonly agentId: string | null
  readonly delegationId: string | null
  /** Millionths of a USDC. */
  readonly budget: string | null
  /** Each is `DIGEST` or `DIGEST/WALLET_ENTRY_ID`. */
  readonly evidence: readonly string[]
}

const DIGESTS_MAX = 64
const POINTERS_MAX = 128
const POINTER_CHARACTERS_MAX = 128
const AGE_SECONDS_MAX = 604_800

/** Throws CommandError (2) for a draft that is no object, or that has more members than a plan may name. */
export function planningIntent(question: PlanQuestion, machine: Machine): AgentPlanningIntent {
  const { draft, budget } = question
  if (!isJsonObject(draft)) throw new CommandError(EXIT.USAGE, "the draft must be a JSON object")
  const leaves = draftLeaves(draft, "")
  const digests = leaves.slice(0, DIGESTS_MAX - 2)
  const pointers = leaves.slice(DIGESTS_MAX - 2).map(([pointer]) => pointer)
  if (pointers.length > POINTERS_MAX || leaves.some(([pointer]) => [...pointer].length > POINTER_CHARACTERS_MAX)) {
    throw new CommandError(EXIT.USAGE, "the draft has more members than a plan may name")
  }
  const mandate = memberOf(draft, "buyer_mandate")
  const payload = memberOf(mandate, "payload")
  return {
    schema_version: "1.0.0",
    contract_version: "1.0.0",
    intent: question.intent,
    product_id: question.productId,
    jurisdiction: null,
    coverage: null,
    requesting_agent: agentOf(question.agentId ?? memberOf(memberOf(draft, "requesting_agent"), "agent_id")),
    provided_inputs: pointers,
    input_digests: {
      ...Object.fromEntries(digests.map(([pointer, value]) => [pointer, digestOf(value)])),
      ...(payload !== undefined && { "/buyer_mandate/payload": digestOf(payload) }),
      ...(isWhole(draft) && { "": digestOf(draft) }),
    },
    evidence_references: question.evidence.map(evidenceOf),
    budget:
      budget === null ? null : { max_amount_atomic: budget, asset: "USDC", network: SERVED_NETWORK.asset.network },
    authority: {
      mandate_digest: textOrNull(memberOf(mandate, "mandate_digest")),
      delegation_id: question.delegationId,
    },
    freshness_requirements: {
      max_age_seconds: ageOf(memberOf(memberOf(draft, "freshness_requirements"), "max_age_seconds")),
      evaluated_at: formatInstant(machine.now()),
    },
    correlation: { correlation_id: randomName(machine), trace_id: randomName(machine) },
    continuation: null,
    idempotency_key: randomName(machine),
  }
}

/** Values of the draft that are no objects, by pointer. */
function draftLeaves(value: JsonValue, at: string): [pointer: string, value: JsonValue][] {
  if (!isJsonObject(value)) return [[at, value]]
  return Object.entries(value).flatMap(([name, member]) => draftLeaves(member, at + pointerStep(name)))
}

/** The digest of the whole body counts as all of it, so only a complete request has one. */
function isWhole(draft: JsonValue): boolean {
  return [DecisionRequest, ...ANSWER_RULES.map(({ schemas }) => schemas.request)].some((schema) =>
    Value.Check(schema, draft),
  )
}

function evidenceOf(item: string): EvidenceReference {
  const slash = item.indexOf("/")
  const [digest, entryId] = slash < 0 ? [item, null] : [item.slice(0, slash), item.slice(slash + 1)]
  return { digest, wallet_entry_id: entryId, authorized_by_caller: true }
}

function agentOf(agentId: JsonValue | undefined): AgentPlanningIntent["requesting_agent"] {
  return typeof agentId === "string" ? { agent_id: agentId } : null
}

function ageOf(stated: JsonValue | undefined): number {
  return typeof stated === "number" ? stated : AGE_SECONDS_MAX
}

function textOrNull(value: JsonValue | undefined): string | null {
  return typeof value === "string" ? value : null
}

function randomName(machine: Machine): string {
  return encodeBase64url(machine.random(16))
}
