import { PRIVATE } from "../../delivery/private-headers.ts"
import type { Answer } from "../../http/call.ts"

/** Only the holder may see an answer about a token, so no cache stores it. `note` is for the request log. */
export function privateAnswer(body: object, note: NonNullable<Answer["note"]>): Answer {
  return { status: 200, body, headers: PRIVATE, note }
}
