/** Which served operation an intent means, and the refusals that need no record. Pure. */
import type { AgentPlanningIntent } from "../../../schemas/agent-mode/planning.ts"
import { UNSERVED_INTENTS } from "../../../schemas/agent-mode/unserved-intents.ts"
import { FIELD_ERRORS_MAX, type FieldError, ServiceError } from "../../base/errors.ts"
import { nearest } from "../../core/nearest.ts"
import { instant, SECOND } from "../../core/time.ts"
import { missingInputs } from "./missing-inputs.ts"
import type { PlanningCatalogue, PlanningLine } from "./planning-catalogue.ts"

/** CHOICE: `evaluated_at` is at most five minutes from the service's clock, as in a Payment Decision request. */
const WINDOW_MS = 300 * SECOND

type ResolvedIntent =
  | { readonly kind: "LINE"; readonly line: PlanningLine }
  | {
      readonly kind: "NONE"
      readonly outcome: "NOT_IMPLEMENTED" | "UNSUPPORTED"
      readonly reasonCode: string
      /** Rows that come nearest. */
      readonly nearest: readonly PlanningLine[]
    }

/**
 * Throws INTENT_UNSUPPORTED, EVALUATED_AT_OUT_OF_WINDOW or COVERAGE_UNSUPPORTED. A preflight answers a wrong product or coverage instead.
 * `now` in milliseconds.
 */
export function resolveIntent(
  body: AgentPlanningIntent,
  catalogue: PlanningCatalogue,
  isPreflight: boolean,
  now: number,
): ResolvedIntent {
  const { intent, product_id: productId } = body
  const lines = catalogue.byIntent.get(intent) ?? []
  const unserved = UNSERVED_INTENTS.get(intent)
  if (lines.length === 0 && !unserved) {
    const known = [...catalogue.byIntent.keys(), ...UNSERVED_INTENTS.keys()].toSorted()
    throw unsupportedError("INTENT_UNSUPPORTED", "/.well-known/svc-intents.json lists what can be planned.", [
      ["/intent", [nearest(intent, known)]],
    ])
  }
  const line = lines.find((row) => productId === null || row.productId === productId)
  if (!unserved && !line && !isPreflight) {
    throw unsupportedError("INTENT_UNSUPPORTED", "No operation with this product_id meets the intent.", [
      ["/product_id", [...lines.map((row) => row.productId), null]],
    ])
  }
  requireCurrent(body, now)
  if (unserved && lines.length === 0) {
    const nearest = unserved.flatMap((name) => (catalogue.byIntent.get(name) ?? []).slice(0, 1))
    return { kind: "NONE", outcome: "NOT_IMPLEMENTED", reasonCode: "NOT_IMPLEMENTED", nearest }
  }
  if (!line) return unsupported("PRODUCT_DIFFERS", lines)
  if (isCovered(body, line)) return { kind: "LINE", line }
  if (isPreflight) return unsupported("COVERAGE_UNSUPPORTED", lines)
  throw unsupportedError("COVERAGE_UNSUPPORTED", "The operation of this intent covers another country or scope.", [
    ...(agrees(body.jurisdiction, line.jurisdiction) ? [] : [["/jurisdiction", [line.jurisdiction, null]] as const]),
    ...(agrees(body.coverage, line.coverage) ? [] : [["/coverage", [line.coverage, null]] as const]),
  ])
}

/** Names, for each member that differs, the values that are supported. */
function unsupportedError(
  code: "INTENT_UNSUPPORTED" | "COVERAGE_UNSUPPORTED",
  detail: string,
  members: readonly (readonly [pointer: string, supported: readonly (string | null)[]])[],
): ServiceError {
  const errors = members.map(([pointer, supported]) => ({
    pointer,
    code,
    expected: supported.map((value) => value ?? "null").join(", "),
  }))
  return new ServiceError(code, detail, { errors })
}

function unsupported(reasonCode: string, lines: readonly PlanningLine[]): ResolvedIntent {
  return { kind: "NONE", outcome: "UNSUPPORTED", reasonCode, nearest: lines.slice(0, 8) }
}

function requireCurrent({ freshness_requirements: { evaluated_at } }: AgentPlanningIntent, now: number): void {
  if (Math.abs(instant(evaluated_at) - now) <= WINDOW_MS) return
  throw new ServiceError("EVALUATED_AT_OUT_OF_WINDOW", "Send the request again with the present time.", {
    errors: [
      {
        pointer: "/freshness_requirements/evaluated_at",
        code: "EVALUATED_AT_OUT_OF_WINDOW",
        expected: "at most 300 seconds from now",
      },
    ],
  })
}

function agrees(stated: string | null, own: string | null): boolean {
  return stated === null || own === null || stated === own
}

function isCovered(body: AgentPlanningIntent, { jurisdiction, coverage }: PlanningLine): boolean {
  return agrees(body.jurisdiction, jurisdiction) && agrees(body.coverage, coverage)
}

/** Throws INPUT_POINTER_UNKNOWN or DIGEST_MISMATCH. */
export function requireKnownInputs(body: AgentPlanningIntent, { admits }: PlanningLine): void {
  const unknown: string[] = []
  for (const [i, pointer] of body.provided_inputs.entries()) if (!admits(pointer)) unknown.push(`/provided_inputs/${i}`)
  for (const pointer in body.input_digests) if (!admits(pointer)) unknown.push("/input_digests")
  if (unknown.length > 0) {
    const expected = "pointer to a member of the operation's body"
    throw new ServiceError("INPUT_POINTER_UNKNOWN", "Name members of the operation's body by RFC 6901 pointers.", {
      ...shortened(unknown.map((pointer) => ({ pointer, code: "INPUT_POINTER_UNKNOWN", expected }))),
    })
  }
  const { mandate_digest: mandate } = body.authority
  const stated = body.input_digests["/buyer_mandate/payload"]
  if (mandate === null || stated === undefined || mandate === stated) return
  throw new ServiceError("DIGEST_MISMATCH", "The mandate's digest differs from the digest of its payload.", {
    form: "MANDATE_DIGEST",
    errors: [
      {
        pointer: "/authority/mandate_digest",
        code: "DIGEST_MISMATCH",
        expected: "digest at /buyer_mandate/payload of input_digests",
      },
    ],
  })
}

/** Throws INTENT_INCOMPLETE: only a complete intent has an exact price. */
export function requireComplete(body: AgentPlanningIntent, line: PlanningLine): void {
  const missing = missingInputs(body, line.inputs)
  if (missing.length === 0) return
  const faults = missing.map(({ pointer, supplied_by }) => ({
    pointer,
    code: "INPUT_MISSING",
    expected: `stated in provided_inputs or input_digests; supplied by ${supplied_by}`,
  }))
  throw new ServiceError("INTENT_INCOMPLETE", "Inputs are missing. Preflight and readiness plan without them.", {
    ...shortened(faults),
  })
}

function shortened(faults: readonly FieldError[]) {
  const errorsOmitted = faults.length - FIELD_ERRORS_MAX
  return { errors: faults.slice(0, FIELD_ERRORS_MAX), ...(errorsOmitted > 0 && { errorsOmitted }) }
}
