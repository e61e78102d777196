import { AgentExportBundle } from "../../../../schemas/agent-id/export.ts"
import { isSandboxIssuer } from "../../../core/sandbox/sandbox-issuer.ts"
import type { JsonValue } from "../../../core/strict-json.ts"
import { parseInstant } from "../../../core/time.ts"
import { Fault, must } from "../fault.ts"
import { placeOf, shapeFault } from "../shape.ts"

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
