/** Reads members of a document of any form. A missing member, or one of another type, is null or empty. */

import { type JsonValue, memberOf } from "../../core/strict-json.ts"
import type { FactView } from "./view.ts"

export type Value = JsonValue | undefined

export function at(value: Value, ...path: readonly string[]): Value {
  return path.reduce<Value>((inner, name) => memberOf(inner, name), value)
}

export function textAt(value: Value, ...path: readonly string[]): string | null {
  const found = at(value, ...path)
  return typeof found === "string" && found !== "" ? found : null
}

export function textsAt(value: Value, ...path: readonly string[]): readonly string[] {
  return itemsAt(value, ...path).filter((item) => typeof item === "string")
}

export function itemsAt(value: Value, ...path: readonly string[]): readonly JsonValue[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

/** Facts of the members that are there, in this order. */
export function factsOf(rows: readonly (readonly [label: string, value: string | null])[]): FactView[] {
  return rows.flatMap(([label, value]) => (value === null ? [] : [{ label, value }]))
}

/** Rows that one document shows at most. */
const LEAVES_MAX = 80

/** Every text, number and truth value of a nested value as a fact, its path as the label: `company legal name`. */
export function leavesOf(value: Value, prefix = ""): FactView[] {
  return [...leaves(value, prefix)].slice(0, LEAVES_MAX)
}

function* leaves(value: Value, label: string): Generator<FactView> {
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
