/**
 * Finds secrets and raw bank data in a draft of a request. A draft may break every rule of its schema, so each text and each name in it is
 * searched, except a value that has the fixed form of its member.
 */

import type { TSchema } from "@sinclair/typebox"
import { USE, type Use } from "../../../schemas/hints.ts"
import { isPrivateKey } from "../secrets/private-key-value.ts"
import { findInEntries, findInText, type Search, type SensitiveFault, useOfName } from "./find-in-text.ts"
import { isFixedForm, prefixOfRandom, secretAsRandom } from "./fixed-form.ts"
import { below, belowChosen, type Place, WHOLE } from "./place.ts"

interface Node extends TSchema {
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly items?: TSchema
  readonly anyOf?: readonly TSchema[]
  readonly additionalProperties?: TSchema | boolean
  readonly patternProperties?: Readonly<Record<string, TSchema>>
  readonly [USE]?: Use
}

/** Finds at most one fault for each member, with the place of the member as far as a reply may repeat the names of it. */
export class DraftSearch {
  readonly #faults: SensitiveFault[] = []

  constructor(private readonly search: Search) {}

  faultsOf(schema: TSchema | undefined, draft: unknown): readonly SensitiveFault[] {
    this.#search(schema, draft, WHOLE)
    return this.#faults
  }

  #search(schema: TSchema | undefined, value: unknown, at: Place): void {
    if (typeof value === "number") this.#note(String(value), useOf(schema), at)
    else if (typeof value === "string") {
      if (!hasFixedForm(schema, value)) this.#note(value, useOf(schema), at)
    } else if (Array.isArray(value)) this.#searchItems(schema, value, at)
    else if (typeof value === "object" && value !== null) this.#lookAtObject(schema, value, at)
  }

  /** Searches the scalars of a list also as one text, for the same reason as {@link #lookAtObject}. */
  #searchItems(schema: TSchema | undefined, items: readonly unknown[], at: Place): void {
    const { items: item } = (schema ?? {}) as Node
    const { length } = this.#faults
    if (isPrivateKey(items)) this.#add({ pointer: at.pointer, kind: "PRIVATE_KEY_MATERIAL" })
    for (const [index, value] of items.entries()) this.#search(item, value, below(at, index))
    if (this.#faults.length > length) return
    const scalars = items.filter((value) => typeof value === "string" && !hasFixedForm(item, value))
    this.#note(scalars.join(", "), undefined, at)
  }

  /**
   * Searches the unnamed members of an object one by one, and then as one text, because a sort code and its account number, or the words of a
   * seed phrase, can be several of them. Then the place is that of the object.
   */
  #lookAtObject(schema: TSchema | undefined, value: object, at: Place): void {
    if (isPrivateKey(value)) this.#add({ pointer: at.pointer, kind: "PRIVATE_KEY_MATERIAL" })
    const properties = membersOf(schema)
    const others = Object.entries(value).filter(([name, member]) => {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (known) this.#search(known, member, below(at, name))
      return !known
    })
    // A member that the schema does not know is no id of the request.
    const use = isMap(schema) ? undefined : "ACCOUNT"
    const { length } = this.#faults
    for (const [name, member] of others) {
      const inside = belowChosen(at, name)
      if (typeof member === "object") this.#search(undefined, member, inside)
      else this.#noteEntries([[name, member]], useOfName(name) ?? use, inside)
    }
    if (this.#faults.length === length) this.#noteEntries(others, use, at)
  }

  #noteEntries(entries: readonly (readonly [string, unknown])[], use: Use | undefined, at: Place): void {
    const scalars = entries.filter(([, member]) => typeof member !== "object")
    const all = entries.map(([name, member]) => `${name}: ${typeof member === "object" ? "" : String(member)}, `)
    const names = entries.map(([name]) => name)
    const values = scalars.map(([, member]) => `${String(member)}, `)
    this.#noteKind(findInEntries({ all: all.join(""), names, values: values.join("") }, use, this.search), at)
  }

  #note(text: string, use: Use | undefined, at: Place): void {
    this.#noteKind(findInText(text, use, this.search), at)
  }

  #noteKind(kind: SensitiveFault["kind"] | null, { pointer }: Place): void {
    if (kind !== null) this.#add({ pointer, kind })
  }

  #add(fault: SensitiveFault): void {
    if (!this.#faults.some(({ pointer }) => pointer === fault.pointer)) this.#faults.push(fault)
  }
}

/** Of a member, or of what a union allows in its place. */
function useOf(schema: TSchema | undefined): Use | undefined {
  const { anyOf, [USE]: use } = (schema ?? {}) as Node
  return use ?? anyOf?.map(useOf).find((each) => each !== undefined)
}

/** The members of an object, or of all the objects that a union allows. */
function membersOf(schema: TSchema | undefined): Readonly<Record<string, TSchema>> {
  const { properties, anyOf } = (schema ?? {}) as Node
  return properties ?? Object.assign({}, ...(anyOf ?? []).map(membersOf))
}

/** True for an object whose names the caller chooses. */
function isMap(schema: TSchema | undefined): boolean {
  const { additionalProperties, patternProperties } = (schema ?? {}) as Node
  return typeof additionalProperties === "object" || patternProperties !== undefined
}

function hasFixedForm(schema: TSchema | undefined, value: string): boolean {
  const { anyOf } = (schema ?? {}) as Node
  if (anyOf) return anyOf.some((variant) => hasFixedForm(variant, value))
  if (schema === undefined) return false
  if (schema["const"] === value) return true
  const { pattern } = schema
  const isFixed = schema["format"] === "date-time" || isFixedForm(schema)
  if (!isFixed || typeof pattern !== "string" || !new RegExp(pattern, "u").test(value)) return false
  const prefix = prefixOfRandom(schema)
  return prefix === null || secretAsRandom(prefix, value) === null
}
