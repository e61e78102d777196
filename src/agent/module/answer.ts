/** What a program gets of a delivered answer. Nothing here is verified. */
import { CommandError, EXIT } from "../../base/exit.ts"
import { type JsonValue, memberOf } from "../../core/strict-json.ts"
import { type BoughtAnswer, boughtIn, capsuleBytesIn, type UnchargedAnswer } from "../answer-in.ts"
import { settledTransaction } from "../present-payment.ts"
import type { ProductRequest } from "../request-bytes.ts"
import type { ServiceReply } from "../service-call.ts"
import type { Answer, JsonObject, Uncharged } from "./client.d.ts"
import { UnreadableAnswer } from "./client-error.ts"

/** Throws UnreadableAnswer. */
export function answerOf(reply: ServiceReply, request: ProductRequest): Answer {
  const { decision, machineAction, reference } = readable(reply, request)
  const { bytes, body, headers } = reply
  return {
    kind: "ANSWER",
    decision,
    machineAction,
    reference,
    bytes,
    body: body as JsonObject,
    capsule: request.rules ? capsuleBytesIn(headers) : null,
    transaction: settledTransaction(headers),
  }
}

type ActedOn = Pick<BoughtAnswer, "decision" | "machineAction" | "reference">

function readable(reply: ServiceReply, { rules }: ProductRequest): ActedOn {
  try {
    return rules ? boughtIn(reply, rules) : decisionIn(reply)
  } catch (error) {
    throw error instanceof CommandError ? new UnreadableAnswer(reply.bytes) : error
  }
}

/** The members of a Payment Decision that a caller acts on. Its whole schema is in the verifier. Throws CommandError (3) without them. */
function decisionIn({ body }: ServiceReply): ActedOn {
  const decision = textAt(body, "decision")
  const machineAction = textAt(body, "machine_action")
  const reference = textAt(memberOf(body, "delivery"), "response_digest")
  if (decision !== null && machineAction !== null && reference !== null) return { decision, machineAction, reference }
  throw new CommandError(EXIT.INVALID, "the answer is not a decision of this version")
}

function textAt(value: JsonValue | undefined, name: string): string | null {
  const member = memberOf(value, name)
  return typeof member === "string" ? member : null
}

export function unchargedOf({ decision, machineAction, reasonCodes, retryAfterSeconds }: UnchargedAnswer): Uncharged {
  return { kind: "UNCHARGED", decision, machineAction, reasonCodes, retryAfterSeconds }
}
