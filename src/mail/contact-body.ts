/** The JSON of a received message, checked as the contact route checks its body. */
import { contactPaymentDecision, type DecisionContact } from "../../schemas/us/decision-contact.ts"
import { SENSITIVE_CODES, ServiceError } from "../errors.ts"
import { bodyGuard } from "../http/body-guard.ts"
import { BODY_BYTES_MAX, strictJson } from "../http/read-body.ts"
import type { ErrorCode } from "../refusals.ts"

const requireFit = bodyGuard(contactPaymentDecision)

/** Throws {@link ServiceError}, as the route does. */
export function readContactBody(json: Uint8Array): DecisionContact {
  if (json.byteLength > BODY_BYTES_MAX) {
    throw new ServiceError("BODY_TOO_LARGE", `The JSON may have at most ${BODY_BYTES_MAX} bytes.`)
  }
  const body = strictJson(json)
  requireFit?.(body)
  return body as DecisionContact
}

/** Faults that a fault message names at most. */
const FAULTS_MAX = 4
const TOP_POINTER = /^\/(intent|action|reply_to|email_verification_token|draft_request)(?=\/|$)/
/** Their pointers name only members of the published schema. A caller chooses the names in all other pointers. */
const SCHEMA_FAULTS: readonly ErrorCode[] = ["COVERAGE_UNSUPPORTED", "INTENT_UNSUPPORTED", ...SENSITIVE_CODES]

/** What a fault message says: codes and places, and nothing that the caller wrote. */
export function faultMembers({ code, context }: ServiceError) {
  const errors = (context.errors ?? []).slice(0, FAULTS_MAX).map(({ pointer, code: rule }) => {
    const [top = ""] = TOP_POINTER.exec(pointer) ?? []
    return { pointer: SCHEMA_FAULTS.includes(code) ? pointer : top, code: rule }
  })
  return { code, errors }
}
