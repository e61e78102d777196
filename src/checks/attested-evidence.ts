/**
 * Observations of what the caller states, and of the service's own records. Each proves only the statement: `source_url` is a URN of its
 * kind, and `raw_sha256` covers exactly the content (rulings 56).
 */
import type { Observation } from "../../schemas/observation.ts"
import { digestOf } from "../core/digest.ts"
import { formatInstant } from "../core/time.ts"
import { observation } from "./policy/observation.ts"

/** Source id of the evidence that binds a payee to a company, a challenge included. */
export const PAYEE_EVIDENCE = "INDEPENDENT_PAYEE_BINDING_EVIDENCE"

const CALLER = { by: "caller/1", claim: ["CALLER_ATTESTATION"] }
const OWN_RECORDS = { by: "own-records/1", claim: [] }

interface Statement {
  readonly sourceId: string
  readonly kind: string
  readonly claims?: readonly string[]
}

/** What the caller states in the request. `at` is RFC 3339. */
export function callerStatement(given: Statement & { readonly at: string }, content: unknown): Observation {
  return attested(CALLER, { ...given, observedAt: given.at, retrievedAt: given.at, isCurrent: true }, content)
}

/** What the caller states that it observed earlier. It is STALE when `isCurrent` is false. Times in milliseconds. */
export function callerEvidence(
  given: Statement & { readonly observedAt: number; readonly retrievedAt: number; readonly isCurrent: boolean },
  content: unknown,
): Observation {
  const times = { observedAt: formatInstant(given.observedAt), retrievedAt: formatInstant(given.retrievedAt) }
  return attested(CALLER, { ...given, ...times }, content)
}

/** The service's own records. `content` is the part of them that the answer relies on. `at` is RFC 3339. */
export function ownRecords(at: string, claims: readonly string[], content: unknown): Observation {
  const given = { sourceId: "SVC_OWN_RECORDS", kind: "own-records", claims }
  return attested(OWN_RECORDS, { ...given, observedAt: at, retrievedAt: at, isCurrent: true }, content)
}

interface AttestedStatement extends Statement {
  /** RFC 3339. */
  readonly observedAt: string
  readonly retrievedAt: string
  readonly isCurrent: boolean
}

function attested(
  { by, claim }: { readonly by: string; readonly claim: readonly string[] },
  { sourceId, kind, claims = [], observedAt, retrievedAt, isCurrent }: AttestedStatement,
  content: unknown,
): Observation {
  return observation({
    source_id: sourceId,
    source_url: `urn:svc:evidence:${kind}`,
    source_version: by,
    source_timestamp: observedAt,
    retrieved_at: retrievedAt,
    parser_version: by,
    raw_sha256: digestOf(content),
    freshness: isCurrent ? "FRESH" : "STALE",
    claims: [...claim, ...claims],
  })
}
