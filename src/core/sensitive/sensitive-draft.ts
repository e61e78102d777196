/**
 * Finds secrets and raw bank data in a draft of a request. A draft may break every rule of its schema, so each text and each name in it is
 * searched, except a value that has the fixed form of its member.
 */

import type { TSchema } from "@sinclair/typebox"
import { USE, type Use } from "../../../schemas/hints.ts"
import { pointerStep } from "../json-pointer.ts"
import { findInEntries, findInText, type Search, type SensitiveFault, useOfName } from "./find-in-text.ts"
import { isFixedForm, isTokenAsRandom, prefixOfRandom } from "./fixed-form.ts"
import { isPrivateJwk } from "./open-value.ts"

interface Node extends TSchema {
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly items?: TSchema
  readonly anyOf?: readonly TSchema[]
  readonly additionalProperties?: TSchema | boolean
  readonly patternProperties?: Readonly<Record<string, TSchema>>
  readonly [USE]?: Use
}

/** Finds at most one fault for each member. Pointers are made of schema member names and indexes, never of text from the caller. */
export class DraftSearch {
  readonly #faults: SensitiveFault[] = []

  constructor(private readonly search: Search) {}

  faultsOf(schema: TSchema | undefined, draft: unknown): readonly SensitiveFault[] {
    this.#lookAt(schema, draft, "")
    return this.#faults
  }

  #lookAt(schema: TSchema | undefined, value: unknown, at: string): void {
    if (typeof value === "number") this.#note(String(value), useOf(schema), at)
    else if (typeof value === "string") {
      if (!hasFixedForm(schema, value)) this.#note(value, useOf(schema), at)
    } else if (Array.isArray(value)) this.#lookAtItems(schema, value, at)
    else if (typeof value === "object" && value !== null) this.#lookAtObject(schema, value, at)
  }

  /** Searches the scalars of a list also as one text, for the same reason as {@link #lookAtObject}. */
  #lookAtItems(schema: TSchema | undefined, items: readonly unknown[], at: string): void {
    const { items: item } = (schema ?? {}) as Node
    const { length } = this.#faults
    for (const [index, value] of items.entries()) this.#lookAt(item, value, item ? `${at}/${index}` : at)
    if (this.#faults.length > length) return
    const scalars = items.filter((value) => typeof value === "string" && !hasFixedForm(item, value))
    this.#note(scalars.join(", "), undefined, at)
  }

  /**
   * Searches the unnamed members of an object as one text, because a sort code and its account number, or the words of a seed phrase, can be
   * several of them. The pointer names the object, because the caller chose the names.
   */
  #lookAtObject(schema: TSchema | undefined, value: object, at: string): void {
    if (isPrivateJwk(value)) this.#add({ pointer: at, kind: "PRIVATE_KEY_MATERIAL" })
    const properties = membersOf(schema)
    // A member that the schema does not know is no id of the request.
    const use = isMap(schema) ? undefined : "ACCOUNT"
    const names: string[] = []
    let others = ""
    let texts = ""
    for (const [name, member] of Object.entries(value)) {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (known) {
        this.#lookAt(known, member, at + pointerStep(name))
        continue
      }
      names.push(name)
      if (typeof member === "object") {
        others += `${name}: , `
        this.#lookAt(undefined, member, at)
      } else {
        const entry = `${name}: ${String(member)}, `
        if (useOfName(name)) this.#note(entry, useOfName(name), at)
        others += entry
        texts += `${String(member)}, `
      }
    }
    this.#noteKind(findInEntries({ all: others, names, values: texts }, use, this.search), at)
  }

  #note(text: string, use: Use | undefined, pointer: string): void {
    this.#noteKind(findInText(text, use, this.search), pointer)
  }

  #noteKind(kind: SensitiveFault["kind"] | null, pointer: string): void {
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
  return prefix === null || !isTokenAsRandom(prefix, value)
}
