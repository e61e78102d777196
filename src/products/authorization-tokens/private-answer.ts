import type { Answer } from "../../http/call.ts"

const PRIVATE = { "cache-control": "private, no-store" } as const

/** What is said of a token is for its holder: no cache keeps it. `note` is for the log. */
export function privateAnswer(body: object, note: NonNullable<Answer["note"]>): Answer {
  return { status: 200, body, headers: PRIVATE, note }
}
