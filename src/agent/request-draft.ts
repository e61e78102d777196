/**
 * Completes a person's input to a request without mandate and signature: fills in constants, key ids, times and fingerprints. Then checks
 * it against the service's own closed schema, so that nothing is signed that the service would reject for its form.
 */
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { PAYMENT_INTENT } from "../../schemas/us/covered.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import type { Machine } from "../base/machine.ts"
import { fingerprint } from "../checks/policy/digests.ts"
import { encodeBase64url } from "../core/base64url.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../core/strict-json.ts"
import { formatInstant } from "../core/time.ts"
import { without } from "../core/without.ts"
import { RequestDraft } from "./forms/request-draft.ts"
import { requireForm } from "./require-form.ts"

const checkDraft = TypeCompiler.Compile(RequestDraft)

interface DraftInput {
  readonly draft: JsonValue
  readonly agentId: string
  readonly keyId: string
  readonly machine: Pick<Machine, "now" | "random">
  /** A mandate signed elsewhere covers `evaluated_at` and the key. Both must then be in the draft and are kept. */
  readonly keepTime: boolean
}

/** Throws CommandError: 2 if it is not a valid request, 3 if a fingerprint or agent differs from the draft's own. */
export function completeDraft(input: DraftInput): RequestDraft {
  const given = members(input.draft, "")
  const completed = {
    schema_version: "1.0.0",
    intent: PAYMENT_INTENT,
    jurisdiction: "US",
    coverage: "FEDERAL_ONLY",
    coverage_requirements: { jurisdiction: "US", coverage: "FEDERAL_ONLY" },
    disclosure: { profile: "MINIMAL", audience_digest: null },
    evidence_references: [],
    ...(input.keepTime ? {} : { idempotency_key: encodeBase64url(input.machine.random(16)) }),
    ...without(given, "buyer_mandate"),
    requesting_agent: requestingAgent(given, input),
    freshness_requirements: freshness(given, input),
    payee: destination(given, "payee"),
    payment_destination: destination(given, "payment_destination"),
  }
  return requireForm(checkDraft, completed, "the request was not signed")
}

/** Uses the agent and key of the key file. Throws if the draft names another agent or key. */
export function requestingAgent(
  given: JsonObject,
  { agentId, keyId }: Pick<DraftInput, "agentId" | "keyId">,
): JsonObject {
  const own = { agent_id: agentId, key_id: keyId }
  const named = members(given["requesting_agent"] ?? {}, "/requesting_agent")
  for (const [member, value] of Object.entries(own)) {
    const other = named[member]
    if (other !== undefined && other !== value) {
      throw new CommandError(EXIT.INVALID, `the request was not signed: its ${member} is not the key file's ${value}`)
    }
  }
  return { ...named, ...own, request_signature: "unsigned" }
}

/** Uses the current time, so that a draft can be signed as often as needed: the service accepts a request for five minutes. */
export function freshness(
  given: JsonObject,
  { keepTime, machine }: Pick<DraftInput, "keepTime" | "machine">,
): JsonObject {
  const requirements = members(given["freshness_requirements"] ?? {}, "/freshness_requirements")
  return keepTime ? requirements : { ...requirements, evaluated_at: formatInstant(machine.now()) }
}

/** A given fingerprint is compared and never replaced, because it exists to detect a mistyped destination. */
function destination(given: JsonObject, name: "payee" | "payment_destination"): JsonObject {
  const content = members(given[name] ?? {}, `/${name}`)
  const { type, value, provider_namespace: namespace, fingerprint: written } = content
  if (typeof type !== "string" || typeof value !== "string") return content
  const computed = fingerprint({
    type: type as RequestDraft["payee"]["type"],
    value,
    ...(typeof namespace === "string" && { provider_namespace: namespace }),
  })
  if (written !== undefined && written !== computed) {
    throw new CommandError(EXIT.INVALID, `the request was not signed: /${name}/fingerprint is of another destination`)
  }
  return { ...content, fingerprint: computed }
}

export function members(value: JsonValue, pointer: string): JsonObject {
  if (isJsonObject(value)) return value
  throw new CommandError(EXIT.USAGE, `the request was not signed: ${pointer || "it"} is not an object`)
}
