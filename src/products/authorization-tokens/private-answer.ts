import type { Answer } from "../../http/call.ts"

const PRIVATE = { "cache-control": "private, no-store" } as const

/** Only the holder may see an answer about a token, so no cache stores it. `note` is for the request log. */
export function privateAnswer(body: object, note: NonNullable<Answer["note"]>): Answer {
  return { status: 200, body, headers: PRIVATE, note }
}
