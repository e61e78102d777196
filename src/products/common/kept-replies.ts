import { Cache } from "../../core/cache.ts"
import { PRIVATE } from "../../delivery/private-headers.ts"
import type { StoredAnswer } from "../../delivery/sale.ts"
import type { Reply } from "../../http/call.ts"
import { presentByExecution } from "./present-answer.ts"

/**
 * Maximum size of all kept replies with the texts that they were made from: about forty answers. An agent reads its answer again soon after it
 * bought it, so more would rarely be found.
 */
export const KEPT_REPLY_BYTES_MAX = 2 * 1024 * 1024

interface KeptReply {
  readonly stored: StoredAnswer
  readonly reply: Reply & { readonly body: string }
}

/**
 * The replies to callers who know an execution id. To parse and to print an answer takes more than half of the time of its request. INVARIANT:
 * the caller has just read the stored texts, and a kept reply is used only if it was made from equal ones.
 */
export class KeptReplies {
  readonly #kept = new Cache<string, KeptReply>({ max: KEPT_REPLY_BYTES_MAX, weigh: bytesOf })

  of(executionId: string, stored: StoredAnswer): Reply {
    const kept = this.#kept.get(executionId)
    if (kept?.stored.body === stored.body && kept.stored.capsuleJson === stored.capsuleJson) return kept.reply
    const { body, headers } = presentByExecution(stored)
    const reply = { status: 200, body, headers: Object.freeze({ ...PRIVATE, ...headers }) }
    this.#kept.set(executionId, { stored, reply })
    return reply
  }
}

/** A character takes at most two bytes. The header of the capsule is a third longer than its text. */
function bytesOf({ stored: { body, capsuleJson }, reply }: KeptReply): number {
  return 2 * (body.length + reply.body.length + 3 * capsuleJson.length)
}
