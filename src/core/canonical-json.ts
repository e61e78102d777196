/**
 * SVC-C14N-JSON-1: RFC 8785 (JCS) output for values that the strict reader returned or that the service built. Members are sorted by UTF-16
 * units (RFC 8785 3.2.3), numbers print as in ECMAScript (3.2.2.3), strings keep their characters.
 */
export const CANONICALIZATION = "SVC-C14N-JSON-1"

/** Throws a TypeError for values that JSON cannot carry (undefined, holes, bigint, functions, non-finite numbers, lone surrogates). */
export function canonicalize(value: unknown): string {
  switch (typeof value) {
    case "string":
      return quoted(value)
    case "boolean":
      return value ? "true" : "false"
    case "number":
      if (!Number.isFinite(value)) throw new TypeError("a non-finite number has no canonical form")
      return JSON.stringify(value)
    case "object":
      if (value === null) return "null"
      return Array.isArray(value) ? array(value) : object(value as Record<string, unknown>)
    default:
      throw new TypeError(`a ${typeof value} has no canonical form`)
  }
}

/** Reads by index because `map` would skip a hole and print nothing for it. By index a hole is undefined and is rejected. */
function array(value: readonly unknown[]): string {
  let out = "["
  for (let i = 0; i < value.length; i++) out += i === 0 ? canonicalize(value[i]) : `,${canonicalize(value[i])}`
  return `${out}]`
}

function object(value: Record<string, unknown>): string {
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null)
    throw new TypeError("only plain objects have a canonical form")
  let out = "{"
  for (const name of sortedNames(value)) {
    if (out.length > 1) out += ","
    out += `${quoted(name)}:${canonicalize(value[name])}`
  }
  return `${out}}`
}

/** Above this size the time of an insertion sort would grow with the square of the caller's input. */
const INSERTED_MAX = 32

/** A quote sorts about forty objects of ten names. The native sort took five times as long for them. */
function sortedNames(value: object): string[] {
  const names = Object.keys(value)
  if (names.length > INSERTED_MAX) return names.sort()
  for (let next = 1; next < names.length; next++) {
    const name = names[next] as string
    let at = next
    for (; at > 0 && (names[at - 1] as string) > name; at--) names[at] = names[at - 1] as string
    names[at] = name
  }
  return names
}

/** Returns the names and canonical texts of an object's members in canonical order. Use it for texts that differ in one member only. */
export function canonicalMembers(value: object): Map<string, string> {
  const members = value as Readonly<Record<string, unknown>>
  return new Map(sortedNames(value).map((name) => [name, canonicalize(members[name])]))
}

/** Returns the canonical text of the object that {@link canonicalMembers} split. */
export function joinMembers(members: ReadonlyMap<string, string>): string {
  let out = "{"
  for (const [name, text] of members) out += `${out.length > 1 ? "," : ""}${quoted(name)}:${text}`
  return `${out}}`
}

/** ASCII that JSON prints unchanged. Almost every string of the service is of this kind. */
const PLAIN = /^[ !#-[\]-~]*$/

function quoted(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`
  if (!text.isWellFormed()) throw new TypeError("an unpaired surrogate has no canonical form")
  return JSON.stringify(text)
}

const utf8 = new TextEncoder()

/** The bytes to digest or sign. */
export function canonicalBytes(value: unknown): Uint8Array {
  return utf8.encode(canonicalize(value))
}
