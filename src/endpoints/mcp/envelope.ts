/**
 * The envelope of a JSON-RPC message. In it an absent, a null and an empty member mean the same, because clients write all three. The
 * A2A endpoint reads it in the same way.
 */
import { findInText } from "../../core/sensitive/find-in-text.ts"
import { isJsonObject, isObject, type JsonObject, type JsonValue } from "../../core/strict-json.ts"

export type MessageId = string | number | null

const ID_CHARACTERS_MAX = 256
/** Members of a message that may be left out, and those of its parameters. */
const OF_MESSAGE = ["id", "method", "params", "result", "error"] as const
const OF_PARAMS = ["_meta", "arguments", "cursor"] as const

/** True for what a client writes in place of leaving a member out. */
export function isEmpty(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === undefined || value === null || value === ""
  return Object.keys(value).length === 0
}

/**
 * Returns the message, or each of a batch, without its empty members. CHOICE: an empty text is an id, which its answer repeats, and an empty
 * result is a result; of both only null is as good as absent.
 */
export function withoutEmpty(body: JsonValue): JsonValue {
  if (Array.isArray(body)) return body.map(withoutEmpty)
  if (!isJsonObject(body)) return body
  const { params } = body
  const kept = isJsonObject(params) ? { ...body, params: trimmed(params, OF_PARAMS, isEmpty) } : body
  const isGone = (value: unknown, name: string) =>
    name === "method" || name === "params" ? isEmpty(value) : value === null
  return trimmed(kept, OF_MESSAGE, isGone)
}

function trimmed(
  members: JsonObject,
  names: readonly string[],
  isGone: (value: unknown, name: string) => boolean,
): JsonObject {
  const gone = names.filter((name) => Object.hasOwn(members, name) && isGone(members[name], name))
  if (gone.length === 0) return members
  return Object.fromEntries(Object.entries(members).filter(([name]) => !gone.includes(name)))
}

/** The id that an answer repeats. Null for none, for one that no answer can have, and for one that holds a secret or bank data. */
export function idOf(message: unknown): MessageId {
  const id = isObject(message) ? message["id"] : undefined
  if (typeof id === "number") return Number.isInteger(id) ? id : null
  return typeof id === "string" && id.length <= ID_CHARACTERS_MAX && mayRepeat(id) ? id : null
}

/** True if an answer may repeat what the caller wrote: it holds no secret and no bank data. */
export function mayRepeat(text: string): boolean {
  return findInText(text, undefined, { bankData: true }) === null
}
