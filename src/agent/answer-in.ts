/** Reads the 200 response to a paid call, for the requested product. It does not verify signatures; `bizauth verify` does. */
import { Value } from "@sinclair/typebox/value"
import { AnswerCapsule, CAPSULE_HEADER } from "../../schemas/answer-capsule.ts"
import type { BusinessAnswer } from "../../schemas/business-answer.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { decodeBase64url } from "../core/base64url.ts"
import { coreOfAnswer } from "../core/capsule/answer-view.ts"
import { type Digest, digestOf } from "../core/digest.ts"
import { jsonOrUndefined } from "../core/strict-json.ts"
import { answersAnother, names, requireOwnDelivery } from "./delivery-answer.ts"
import type { AnswerForm, ProductRequest } from "./request-bytes.ts"
import type { ServiceReply } from "./service-call.ts"

export interface UnchargedAnswer {
  readonly decision: "RETRY" | "NO_DECISION"
  readonly machineAction: string
  readonly reasonCodes: readonly string[]
  /** Null if the service does not state it. */
  readonly retryAfterSeconds: number | null
}

/** Returns null unless the response is a result of the product that decides nothing and charges nothing. */
export function unchargedIn(reply: ServiceReply, { rules }: ProductRequest): UnchargedAnswer | null {
  const { status, body, headers } = reply
  if (status !== 200 || !rules || !Value.Check(rules.schemas.answer, body)) return null
  // The product's schema has accepted it.
  const given = body as unknown as BusinessAnswer
  const { decision, economic_activity: activity } = given
  if ((decision !== "RETRY" && decision !== "NO_DECISION") || activity.charged) return null
  const seconds = headers.get("retry-after") ?? ""
  return {
    decision,
    machineAction: given.machine_action,
    reasonCodes: given.reason_codes,
    retryAfterSeconds: /^\d{1,6}$/.test(seconds) ? Number(seconds) : null,
  }
}

export interface BoughtAnswer {
  readonly decision: string
  readonly machineAction: string
  /** Digest by which later requests reference it as evidence. */
  readonly reference: string
  readonly decisionId: string | null
  /** Whether the answer holds an authorization token. The token itself is never displayed. */
  readonly hasToken: boolean
}

/**
 * Throws CommandError (3) if the response names another request or product, or if its capsule is of another answer. Call it before the
 * response is written to a file. `next`: what the person can do then.
 */
export function requireOwnAnswer(reply: ServiceReply, request: ProductRequest, next: string): void {
  const { rules, product, requestDigest } = request
  if (!rules) {
    requireOwnDelivery(reply, requestDigest, next)
    return
  }
  const { body, headers } = reply
  if (!names(body, "product_or_solution", product)) throw answersAnother(next)
  const capsule = capsuleIn(headers)?.payload
  if (!capsule) return
  const isOwn = capsule.request_digest === requestDigest
  // The product's schema has accepted it.
  const isSigned =
    !Value.Check(rules.schemas.answer, body) || capsule.core_digest === referenceOf(body as unknown as BusinessAnswer)
  if (!isOwn || !isSigned) throw answersAnother(next)
}

/** Returns the answer in a response that passed {@link requireOwnAnswer}. Throws CommandError (3) if it is not a delivered answer. */
export function boughtIn({ body, headers }: ServiceReply, { schemas }: AnswerForm): BoughtAnswer {
  if (!Value.Check(schemas.answer, body)) throw refusal("is not an answer of the requested product")
  // The product's schema has accepted it.
  const given = body as unknown as BusinessAnswer
  if (!capsuleIn(headers)) {
    throw refusal("came without its signed capsule; fetch the capsule from …/proof with its execution id")
  }
  const { authorization_token: token = "" } = given.result as { readonly authorization_token?: string }
  return {
    decision: given.decision,
    machineAction: given.machine_action,
    reference: referenceOf(given),
    decisionId: null,
    hasToken: token !== "",
  }
}

const referenceOf = (answer: BusinessAnswer): Digest => digestOf(coreOfAnswer(answer))

/** Returns the bytes of the capsule header without checking them; null without the header. */
export function capsuleBytesIn(headers: Headers): Uint8Array | null {
  return decodeBase64url(headers.get(CAPSULE_HEADER) ?? "!")
}

function capsuleIn(headers: Headers): AnswerCapsule | null {
  const bytes = capsuleBytesIn(headers)
  const value = bytes && jsonOrUndefined(bytes)
  return Value.Check(AnswerCapsule, value) ? value : null
}

function refusal(why: string): CommandError {
  return new CommandError(EXIT.INVALID, `the delivery is written to the file, but it ${why}`)
}
