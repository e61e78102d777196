import type { Observation } from "../../schemas/observation.ts"
import { digestOf } from "../core/digest.ts"
import { formatInstant } from "../core/time.ts"
import { observation } from "./policy/observation.ts"

const CALLER = "caller/1"

/** Source id of the evidence that binds a payee to a company, a challenge included. */
export const PAYEE_EVIDENCE = "INDEPENDENT_PAYEE_BINDING_EVIDENCE"

/**
 * An observation of a statement by the caller. It proves only the statement: `source_url` is a URN of its kind and `raw_sha256` covers
 * exactly `content` (rulings 56). It is STALE when `isCurrent` is false. Times in milliseconds.
 */
export function callerEvidence(
  given: {
    readonly sourceId: string
    readonly kind: string
    readonly observedAt: number
    readonly retrievedAt: number
    readonly isCurrent: boolean
    readonly claims: readonly string[]
  },
  content: unknown,
): Observation {
  return observation({
    source_id: given.sourceId,
    source_url: `urn:svc:evidence:${given.kind}`,
    source_version: CALLER,
    source_timestamp: formatInstant(given.observedAt),
    retrieved_at: formatInstant(given.retrievedAt),
    parser_version: CALLER,
    raw_sha256: digestOf(content),
    freshness: given.isCurrent ? "FRESH" : "STALE",
    claims: ["CALLER_ATTESTATION", ...given.claims],
  })
}
