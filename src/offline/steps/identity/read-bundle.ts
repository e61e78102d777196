/** Reads a bundle from the bytes of a file. It first rejects every text that two readers could understand differently. */
import { AgentExportBundle, EXPORT_BYTES_MAX } from "../../../../schemas/agent-id/export.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import { isSandboxIssuer } from "../../../core/sandbox/sandbox-issuer.ts"
import { type JsonValue, readJson, StrictJsonError } from "../../../core/strict-json.ts"
import { parseInstant } from "../../../core/time.ts"
import { placeOf, shapeFault } from "../shape.ts"
import { Fault, must } from "../verdict.ts"

export interface ReadText {
  readonly value: JsonValue
  readonly canonical: boolean
}

/** Throws {@link Fault}. It distinguishes a text that is only formatted differently from a text with other content. */
export function readText(input: string | Uint8Array): ReadText {
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input
  must(bytes.length <= EXPORT_BYTES_MAX, "TOO_LARGE", `The file has more than ${EXPORT_BYTES_MAX} bytes.`)
  const value = parsed(bytes)
  const text = typeof input === "string" ? input : new TextDecoder().decode(bytes)
  return { value, canonical: canonicalize(value) === text }
}

function parsed(bytes: Uint8Array): JsonValue {
  try {
    return readJson(bytes)
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    throw new Fault(error.fault, `Not strict JSON at character ${error.offset}.`)
  }
}

/** Throws {@link Fault} that names the member, never its value. */
export function shapedBundle(value: JsonValue): AgentExportBundle {
  const bundle = value as { readonly [member: string]: JsonValue } | null
  if (typeof bundle === "object" && bundle?.["bundle_type"] !== AgentExportBundle.properties.bundle_type.const) {
    throw new Fault("BUNDLE_TYPE_UNKNOWN", "This verifier reads svc.agent-identity.export.v1.", "NOT_CHECKED")
  }
  const fault = shapeFault(AgentExportBundle, value)
  if (fault) throw new Fault("SHAPE_MISMATCH", `The closed schema of the bundle is broken at ${placeOf(fault)}.`)
  const shaped = value as unknown as AgentExportBundle
  must(!isSandboxIssuer(shaped.signature.issuer), "SANDBOX", "A bundle of the sandbox: anyone can make its keys.")
  const { as_of, fresh_until } = shaped.status.payload
  const exist = [shaped.exported_at, as_of, fresh_until].every((time) => parseInstant(time) !== null)
  must(exist, "TIME_INVALID", "A time of the bundle is not in the calendar.")
  return shaped
}
