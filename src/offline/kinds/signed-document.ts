/** What the kinds share whose payload is signed as a whole: company passport, capability manifest, service proof. */
import { type JsonValue, memberOf } from "../../core/strict-json.ts"
import type { Step } from "../examine.ts"
import type { Report } from "../report.ts"
import { readDocument } from "../steps/read.ts"
import { digestStep, type SignedPayload, signatureStep, timeStep, type Window } from "../steps/shared-steps.ts"
import type { Environment, Stated, VerifyInput } from "../verify-input.ts"

interface SignedDocument extends SignedPayload {
  readonly payload: SignedPayload["payload"] & { readonly domain: string; readonly valid_until: string }
}

/** Reads such a document of version 1.0.0. Returns undefined after reporting the fault. */
export function readSignedDocument(bytes: Uint8Array, report: Report): JsonValue | undefined {
  const value = readDocument(bytes, report)
  if (value === undefined || memberOf(memberOf(value, "payload"), "schema_version") === "1.0.0") return value
  report.unchecked("document", "unknown version")
  return undefined
}

/** What such a document proves about itself. */
export const SIGNED_STEPS: readonly Step<
  Pick<VerifyInput, "keys" | "crypto" | "at">,
  { readonly signed: SignedPayload; readonly window: Window }
>[] = [digestStep, signatureStep, timeStep]

/** What such a document states. It contains no decision. */
export function statedBySigned({ payload, digest }: SignedDocument, environment: Environment | null): Stated {
  return {
    product: payload.domain,
    decisionId: null,
    reference: digest,
    decision: null,
    machineAction: null,
    reasons: [],
    validUntil: payload.valid_until,
    environment,
  }
}
