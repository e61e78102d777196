/**
 * SVC-C14N-JSON-1: RFC 8785 (JCS) output for values that the strict reader returned or that the service built. Members are sorted by UTF-16
 * units (RFC 8785 3.2.3), numbers print as in ECMAScript (3.2.2.3), strings keep their characters.
 */
import { MemberOrders } from "./text/member-order.ts"

export const CANONICALIZATION = "SVC-C14N-JSON-1"

/** Throws a TypeError for values that JSON cannot carry (undefined, holes, bigint, functions, non-finite numbers, lone surrogates). */
export function canonicalize(value: unknown): string {
  return typeof value === "string" ? quoted(value) : printed(sortedCopy(value), value)
}

/** In place of a copy, if a part of the value has members that no object has in canonical order. */
const UNSORTED = Symbol("unsorted")

/**
 * JSON.stringify prints the members of a sorted copy in canonical order, and everything else in canonical form. That takes half the time of
 * printing member by member.
 */
function printed(copy: unknown, value: unknown): string {
  if (copy === UNSORTED) return written(value)
  const text = JSON.stringify(copy)
  // JSON.stringify escapes an unpaired surrogate, which has no canonical form.
  return text.includes("\\ud") ? written(value) : text
}

/** Throws as {@link canonicalize} does, but for unpaired surrogates. */
function sortedCopy(value: unknown): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      if (!Number.isFinite(value)) throw new TypeError("a non-finite number has no canonical form")
      return value
    case "object":
      if (value === null) return null
      return Array.isArray(value) ? copyOfArray(value) : copyOfObject(value as Record<string, unknown>)
    default:
      throw new TypeError(`a ${typeof value} has no canonical form`)
  }
}

/** Reads by index because `map` would skip a hole and print nothing for it. By index a hole is undefined and is rejected. */
function copyOfArray(value: readonly unknown[]): unknown {
  const copy = new Array<unknown>(value.length)
  for (let i = 0; i < value.length; i++) {
    const element = sortedCopy(value[i])
    if (element === UNSORTED) return UNSORTED
    copy[i] = element
  }
  return copy
}

function copyOfObject(value: Record<string, unknown>): unknown {
  requirePlain(value)
  const { names, isKept } = orders.of(value)
  let isSorted = isKept
  const copy: Record<string, unknown> = {}
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string
    const member = sortedCopy(value[name])
    if (member === UNSORTED) isSorted = false
    else if (isSorted) copy[name] = member
  }
  return isSorted ? copy : UNSORTED
}

function requirePlain(value: object): void {
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null)
    throw new TypeError("only plain objects have a canonical form")
}

/** Prints member by member. Only for values without a sorted copy. */
function written(value: unknown): string {
  if (typeof value === "string") return quoted(value)
  if (typeof value !== "object" || value === null) return JSON.stringify(sortedCopy(value))
  // Unlike `map`, Array.from gives a hole as undefined.
  if (Array.isArray(value)) return `[${Array.from(value, written).join(",")}]`
  requirePlain(value)
  const members = value as Record<string, unknown>
  return `{${orders
    .of(value)
    .names.map((name) => `${quoted(name)}:${written(members[name])}`)
    .join(",")}}`
}

const orders = new MemberOrders()

/** Returns the names and canonical texts of an object's members in canonical order. Use it for texts that differ in one member only. */
export function canonicalMembers(value: object): Map<string, string> {
  const members = value as Readonly<Record<string, unknown>>
  return new Map(orders.of(value).names.map((name) => [name, canonicalize(members[name])]))
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
