/** The result of a method, as text. Large parts are printed once, and a response only joins them. */
import type { Reply } from "../../http/call.ts"
import type { MessageId } from "./envelope.ts"
import type { Era } from "./era.ts"

export interface Result {
  /** JSON members of the result, joined by commas, without braces. */
  readonly members: string
  /** JSON members of its `_meta`, in the same form. */
  readonly meta?: string
  /** For the request log. */
  readonly note?: Reply["note"] | undefined
}

/** Prints the members of an object without its braces. */
export function membersOf(value: object): string {
  return JSON.stringify(value).slice(1, -1)
}

/**
 * Prints the response. A modern result says that it is complete and which server made it; `serverMeta` is that member. An earlier client
 * gets the same members without both.
 */
export function responseText(id: MessageId, era: Era, { members, meta }: Result, serverMeta: string): string {
  const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{`
  const comma = members === "" ? "" : ","
  if (era === "LEGACY") return `${start}${members}${meta ? `${comma}"_meta":{${meta}}` : ""}}}`
  const all = meta ? `${meta},${serverMeta}` : serverMeta
  return `${start}${members}${comma}"resultType":"complete","_meta":{${all}}}}`
}
