/** Reads members of a document of any form. A missing member, or one of another type, is null or empty. */
import { type JsonValue, memberOf } from "../core/strict-json.ts"

export type Value = JsonValue | undefined

/** A value with its name, as a person reads it. */
export interface Labelled {
  readonly label: string
  readonly value: string
}

export function at(value: Value, ...path: readonly string[]): Value {
  return path.reduce<Value>((inner, name) => memberOf(inner, name), value)
}

export function textAt(value: Value, ...path: readonly string[]): string | null {
  const found = at(value, ...path)
  return typeof found === "string" && found !== "" ? found : null
}

export function numberAt(value: Value, ...path: readonly string[]): number | null {
  const found = at(value, ...path)
  return typeof found === "number" ? found : null
}

export function textsAt(value: Value, ...path: readonly string[]): readonly string[] {
  return itemsAt(value, ...path).filter((item) => typeof item === "string")
}

export function itemsAt(value: Value, ...path: readonly string[]): readonly JsonValue[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

/** Members with a text value, in the order of the document. */
export function textMembersAt(value: Value, ...path: readonly string[]): readonly (readonly [string, string])[] {
  const found = at(value, ...path)
  if (typeof found !== "object" || found === null || Array.isArray(found)) return []
  return Object.entries(found).flatMap(([name, inner]) =>
    typeof inner === "string" && inner !== "" ? [[name, inner] as const] : [],
  )
}

/** The rows whose value is there, in this order. */
export function labelled(rows: readonly (readonly [label: string, value: string | null])[]): Labelled[] {
  return rows.flatMap(([label, value]) => (value === null ? [] : [{ label, value }]))
}

/** Rows that one document shows at most. */
const LEAVES_MAX = 80

/** Every text, number and truth value of a nested value, its path as the label: `company legal name`. */
export function leavesOf(value: Value, prefix = ""): Labelled[] {
  return [...leaves(value, prefix)].slice(0, LEAVES_MAX)
}

function* leaves(value: Value, label: string): Generator<Labelled> {
  if (value === null || value === undefined || value === "") return
  if (Array.isArray(value)) {
    const words = value.filter((item) => typeof item !== "object")
    if (words.length > 0) yield { label, value: words.map(String).join(", ") }
    for (const [index, item] of value.entries())
      if (typeof item === "object") yield* leaves(item, `${label} ${index + 1}`.trim())
    return
  }
  if (typeof value !== "object") {
    yield { label, value: String(value) }
    return
  }
  for (const [name, inner] of Object.entries(value))
    yield* leaves(inner, `${label} ${name.replaceAll("_", " ")}`.trim())
}
