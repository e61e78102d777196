import { PRIVATE } from "../../delivery/private-headers.ts"
import type { Reply } from "../../http/call.ts"

/** Only the holder may see an answer about a token, so no cache stores it. `note` is for the request log. */
export function privateReply(body: object, note: NonNullable<Reply["note"]>): Reply {
  return { status: 200, body, headers: PRIVATE, note }
}
