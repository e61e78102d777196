/** Continuation tokens: signed, bound to what was stated, valid for fifteen minutes. Pure. */
import { Value } from "@sinclair/typebox/value"
import { type AgentPlanningIntent, PlanningContinuation } from "../../../schemas/agent-mode/planning.ts"
import { ServiceError } from "../../base/errors.ts"
import { decodeBase64url, encodeBase64url } from "../../core/base64url.ts"
import { canonicalBytes, canonicalize } from "../../core/canonical-json.ts"
import { digestOf } from "../../core/digest.ts"
import { verifySignature } from "../../core/ed25519.ts"
import { type Signer, signValue } from "../../core/signer.ts"
import { jsonOrUndefined } from "../../core/strict-json.ts"
import { formatInstant, instant, MINUTE } from "../../core/time.ts"
import { without } from "../../core/without.ts"
import type { ServiceKey } from "../../store/identity/service-keys.ts"
import type { PlanningLine } from "./planning-catalogue.ts"

/** CHOICE: a continuation ends fifteen minutes after `evaluated_at`. */
const CONTINUATION_MS = 15 * MINUTE
/** The longest token that a request may carry. */
const TOKEN_CHARACTERS_MAX = 24_576

type Ids = Pick<PlanningContinuation, "continuation_id" | "plan_id" | "audience">
type BoundLine = Pick<PlanningLine, "productId" | "jurisdiction" | "coverage">

/** CHOICE: null if the token would be too long to be sent back. The caller then states its inputs again. */
export function makeContinuation(body: AgentPlanningIntent, line: BoundLine, ids: Ids, signer: Signer) {
  const at = instant(body.freshness_requirements.evaluated_at)
  const payload: PlanningContinuation = {
    domain: "svc.planning.continuation.v1",
    schema_version: "1.0.0",
    ...ids,
    issuer: signer.issuer,
    key_id: signer.keyId,
    ...boundMembers(body, line),
    authority: body.authority,
    input_digests: body.input_digests,
    issued_at: formatInstant(at),
    expires_at: formatInstant(at + CONTINUATION_MS),
  }
  const token = `${encodeBase64url(canonicalBytes(payload))}.${signValue(signer, payload).value}`
  if (token.length > TOKEN_CHARACTERS_MAX) return null
  return {
    token,
    expires_at: payload.expires_at,
    binding_digest: digestOf(without(payload, "issued_at", "expires_at")),
  }
}

function boundMembers(body: AgentPlanningIntent, line: BoundLine) {
  return {
    intent: body.intent,
    product_id: line.productId,
    jurisdiction: line.jurisdiction,
    coverage: line.coverage,
    agent_id: body.requesting_agent?.agent_id ?? null,
  }
}

interface ContinuationJudge {
  readonly baseUrl: string
  readonly findKey: (keyId: string) => ServiceKey | undefined
  /** Milliseconds. */
  readonly now: number
}

/** Throws CONTINUATION_BINDING_MISMATCH, then CONTINUATION_EXPIRED. */
export function requireContinuation(
  token: string,
  body: AgentPlanningIntent,
  line: BoundLine,
  judge: ContinuationJudge,
): PlanningContinuation {
  const continuation = readContinuation(token, judge)
  if (!continuation || !isBoundTo(continuation, body, line)) {
    throw new ServiceError(
      "CONTINUATION_BINDING_MISMATCH",
      "A request may only add to what the continuation is bound to.",
    )
  }
  if (instant(continuation.expires_at) <= judge.now) {
    throw new ServiceError("CONTINUATION_EXPIRED", "Ask for readiness again.")
  }
  return continuation
}

export function continuationUsed(): ServiceError {
  return new ServiceError("CONTINUATION_REPLAY", "Another request used this continuation.")
}

/** Null for anything that this service did not sign for this base URL. */
function readContinuation(token: string, { baseUrl, findKey }: ContinuationJudge): PlanningContinuation | null {
  const [encoded = "", signature = "", ...more] = token.split(".")
  const bytes = decodeBase64url(encoded)
  if (!bytes || more.length > 0) return null
  const payload = jsonOrUndefined(bytes)
  if (!Value.Check(PlanningContinuation, payload)) return null
  const key = findKey(payload.key_id)
  const isOurs = key?.use === "statement" && key.status !== "REVOKED" && payload.audience === baseUrl
  return isOurs && verifySignature(key.x, canonicalize(payload), signature) ? payload : null
}

function isBoundTo(bound: PlanningContinuation, body: AgentPlanningIntent, line: BoundLine): boolean {
  const now = boundMembers(body, line)
  const { mandate_digest, delegation_id } = bound.authority
  return (
    bound.intent === now.intent &&
    bound.product_id === now.product_id &&
    bound.jurisdiction === now.jurisdiction &&
    bound.coverage === now.coverage &&
    isKept(bound.agent_id, now.agent_id) &&
    isKept(mandate_digest, body.authority.mandate_digest) &&
    isKept(delegation_id, body.authority.delegation_id) &&
    Object.entries(bound.input_digests).every(([pointer, digest]) => body.input_digests[pointer] === digest)
  )
}

function isKept(bound: string | null, stated: string | null): boolean {
  return bound === null || bound === stated
}
