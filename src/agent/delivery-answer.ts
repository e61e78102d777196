import { PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { type JsonValue, memberOf } from "../core/strict-json.ts"
import type { ServiceReply } from "./service-call.ts"

/**
 * Throws CommandError (3) if the response names another product or request. Call it before the response is written to a file. `next`: what
 * the person can do then.
 */
export function requireOwnDelivery({ body }: ServiceReply, requestDigest: string, next: string): void {
  const isOwn = names(body, "product", PAYMENT_DECISION_PRODUCT) && names(body, "request_digest", requestDigest)
  if (!isOwn) throw answersAnother(next)
}

/** False if the member is a text other than `expected`. A response without the member names nothing. */
export function names(body: JsonValue, member: string, expected: string): boolean {
  const named = memberOf(body, member)
  return typeof named !== "string" || named === expected
}

export function answersAnother(next: string): CommandError {
  return new CommandError(EXIT.INVALID, `the answer belongs to another request, so no file was written; ${next}`)
}
