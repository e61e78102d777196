/** The JSON of a received message, checked as the contact route checks its body. */
import type { TSchema } from "@sinclair/typebox"
import { DRAFT_OF } from "../../../schemas/hints.ts"
import { contactPaymentDecision, type DecisionContact } from "../../../schemas/us/decision-contact.ts"
import { ServiceError } from "../../base/errors.ts"
import { bodyGuard } from "../../http/body-guard.ts"
import { BODY_BYTES_MAX, strictJson } from "../../http/read-body.ts"

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

interface Node extends TSchema {
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly anyOf?: readonly Node[]
  readonly [DRAFT_OF]?: Node
}

/** The part of a pointer whose names the published schema has. The caller chose the others. */
function publishedPart(pointer: string): string {
  let places: readonly Node[] = [contactPaymentDecision.body]
  let part = ""
  for (const step of pointer.split("/").slice(1)) {
    places = places.flatMap(variantsOf).flatMap(({ properties = {}, items }) => {
      if (Object.hasOwn(properties, step)) return properties[step] ?? []
      return items && /^\d{1,4}$/.test(step) ? items : []
    })
    if (places.length === 0) break
    part += `/${step}`
  }
  return part
}

function variantsOf(node: Node): readonly Node[] {
  const { anyOf, [DRAFT_OF]: draft } = node
  return anyOf?.flatMap(variantsOf) ?? (draft ? variantsOf(draft) : [node])
}

/** What a fault message says: codes and places, and nothing that the caller wrote. */
export function faultMembers({ code, context }: ServiceError) {
  const errors = (context.errors ?? []).slice(0, FAULTS_MAX)
  return { code, errors: errors.map(({ pointer, code: rule }) => ({ pointer: publishedPart(pointer), code: rule })) }
}
