import { type Placeholder, type SQL, sql } from "drizzle-orm"

/** A text with U+0000, which PostgreSQL does not store. No engine stores one, so that each database can move to another engine. */
export class UnstorableText extends Error {
  constructor(
    /** Of the value in the statement. */
    readonly valueName: string,
  ) {
    super(`the text for ${valueName} contains U+0000`)
  }
}

/**
 * The value to bind, if every engine stores it exactly. Throws {@link UnstorableText}, and a TypeError for a missing value and for a number that is
 * no safe integer.
 */
export function storable(name: string, value: unknown): unknown {
  if (typeof value === "string") {
    if (value.includes("\0")) throw new UnstorableText(name)
  } else if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) throw new TypeError(`the number for ${name} is no safe integer`)
  } else if (value === undefined) throw new TypeError(`no value for ${name}`)
  return value
}

/**
 * The parameter for a JSON array that is bound as text. PostgreSQL reads no element with U+0000 or half a surrogate pair. The first is refused
 * here. The second becomes U+FFFD, as both drivers make of it in a text that is bound itself.
 */
export function storableArray(array: Placeholder): SQL {
  return sql`${sql.param<unknown, string>(array, { mapToDriverValue: (text) => withStorableTexts(array.name, String(text)) })}`
}

function withStorableTexts(name: string, array: string): string {
  // JSON.stringify writes both as escapes.
  if (!array.includes("\\u")) return array
  return JSON.stringify(JSON.parse(array), (_, member) =>
    typeof member === "string" ? storable(name, member.toWellFormed()) : member,
  )
}
