/** The JSON of a received message, checked as the contact route checks its body. */
import { contactPaymentDecision, type DecisionContact } from "../../../schemas/us/decision-contact.ts"
import { ServiceError } from "../../base/errors.ts"
import { bodyGuard } from "../../http/body-guard.ts"
import type { JsonSchema } from "../../http/expected-words.ts"
import { BODY_BYTES_MAX, strictJson } from "../../http/read-body.ts"
import { knownPart } from "../words-at.ts"

const requireFit = bodyGuard(contactPaymentDecision)
const BODY: JsonSchema = { ...contactPaymentDecision.body }

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

/** What a fault message says: codes and places, and nothing that the caller wrote. */
export function faultMembers({ code, context }: ServiceError) {
  const errors = (context.errors ?? []).slice(0, FAULTS_MAX)
  return {
    code,
    errors: errors.map(({ pointer, code: rule }) => ({
      pointer: knownPart(BODY, pointer),
      code: rule,
    })),
  }
}
