/** Finds the members of a body with a closed schema that contain a secret, or raw bank data where the operation refuses it. */

import { Kind, type TObject, type TSchema } from "@sinclair/typebox"
import { DRAFT_OF, USE, type Use } from "../../../schemas/hints.ts"
import { pointerStep } from "../json-pointer.ts"
import { isPrivateKey } from "../secrets/private-key-value.ts"
import { findInEntries, findInText, type Search, type SensitiveFault, useOfName } from "./find-in-text.ts"
import { isFixedForm, prefixOfRandom, secretAsRandom } from "./fixed-form.ts"
import { searchOpen } from "./open-value.ts"
import { belowChosen, WHOLE } from "./place.ts"
import { DraftSearch } from "./sensitive-draft.ts"

/** Appends the faults found in one value. Pointers are relative to that value. */
type Finder = (value: unknown, faults: SensitiveFault[]) => void

/**
 * Returns a function that searches every free text and opaque id of a body that its schema accepted, with at most one fault per member.
 * What each member is, is read from the schema once. Throws a TypeError if bank data could be in a member that no rule reaches.
 */
export function sensitiveMembers(schema: TSchema, search: Search): (body: unknown) => readonly SensitiveFault[] {
  const find = new Members(search).finderOf(schema)
  return (body) => {
    const faults: SensitiveFault[] = []
    find?.(body, faults)
    return faults
  }
}

class Members {
  constructor(private readonly search: Search) {}

  /** Returns null if the schema has nothing to search. */
  finderOf(schema: TSchema): Finder | null {
    switch (schema[Kind]) {
      case "String":
      case "Text":
        return this.finderOfString(schema)
      case "Object":
        return DRAFT_OF in schema ? this.finderOfDraft(schema) : this.finderOfMembers(schema as TObject)
      case "Array":
        return this.finderOfItems(schema["items"] as TSchema)
      case "Union":
        return this.finderOfVariants(schema["anyOf"] as TSchema[])
      case "Record":
        return this.finderOfRecord(Object.values(schema["patternProperties"] as Record<string, TSchema>))
      case "TextMap":
        return this.finderOfRecord([schema["additionalProperties"] as TSchema])
      case "Literal":
      case "Null":
      case "Boolean":
      case "Integer":
      case "Number":
      case "DateTime":
        return null
      default:
        return this.finderOfAnything(`a value of kind ${schema[Kind]}`)
    }
  }

  private finderOfString(schema: TSchema): Finder | null {
    const prefix = prefixOfRandom(schema)
    if (prefix !== null) return finderOfSecretAsRandom(prefix)
    return isFixedForm(schema) ? null : this.finderOfText((schema as { [USE]?: Use })[USE])
  }

  private finderOfText(use: Use | undefined): Finder {
    const { search } = this
    return (value, faults) => {
      if (typeof value !== "string") return
      const kind = findInText(value, use, search)
      if (kind !== null) faults.push({ pointer: "", kind })
    }
  }

  /** What no schema describes is searched for secrets only, so an operation that refuses bank data cannot have it. */
  private finderOfAnything(what: string): Finder {
    if (this.search.bankData) throw new TypeError(`no rule says whether ${what} may hold bank data`)
    return searchOpen
  }

  private finderOfMembers({ properties, additionalProperties }: TObject): Finder | null {
    if (additionalProperties !== false) return this.finderOfAnything("an open object")
    const members: [pointer: string, name: string, find: Finder][] = []
    for (const [name, schema] of Object.entries(properties)) {
      const find = this.finderOf(schema)
      if (find) members.push([pointerStep(name), name, find])
    }
    if (members.length === 0) return null
    return (value, faults) => {
      if (typeof value !== "object" || value === null) return
      for (const [pointer, name, find] of members) {
        const before = faults.length
        find((value as Readonly<Record<string, unknown>>)[name], faults)
        if (faults.length > before) putUnder(pointer, faults, before)
      }
    }
  }

  private finderOfDraft(schema: TSchema): Finder {
    const request = (schema as { readonly [DRAFT_OF]?: TSchema })[DRAFT_OF]
    return (value, faults) => {
      faults.push(...new DraftSearch(this.search).faultsOf(request, value))
    }
  }

  /** The texts of a list are also searched as one, because the words of a seed phrase can be its items. */
  private finderOfItems(schema: TSchema): Finder | null {
    const find = this.finderOf(schema)
    if (find === null) return null
    const findInAll = schema[Kind] === "String" || schema[Kind] === "Text" ? this.finderOfText(undefined) : null
    return (value, faults) => {
      if (!Array.isArray(value)) return
      const { length } = faults
      for (let i = 0; i < value.length; i++) {
        const before = faults.length
        find(value[i], faults)
        if (faults.length > before) putUnder(`/${i}`, faults, before)
      }
      if (value.length > 1 && faults.length === length) findInAll?.(value.join(", "), faults)
    }
  }

  /** If a member is free text in one variant, it is checked in all variants. */
  private finderOfVariants(variants: readonly TSchema[]): Finder | null {
    const finders = variants.map((variant) => this.finderOf(variant)).filter((find) => find !== null)
    if (finders.length === 0) return null
    return (value, faults) => {
      const before = faults.length
      for (const find of finders) find(value, faults)
      if (finders.length === 1 || faults.length === before) return
      const once = new Map(faults.splice(before).map((fault) => [fault.pointer, fault]))
      faults.push(...once.values())
    }
  }

  /**
   * Checks names and values as one text, because a sort code and its account number can be two members of the record, and the words of a
   * seed phrase can be twelve. The pointer names the member that holds it alone, or else the record.
   */
  private finderOfRecord(values: readonly TSchema[]): Finder {
    if (values.some((each) => each[Kind] !== "String" && each[Kind] !== "Text")) {
      return this.finderOfAnything("a record of other values than texts")
    }
    const { search } = this
    return (value, faults) => {
      if (typeof value !== "object" || value === null) return
      const record = value as Readonly<Record<string, string>>
      const kind = kindInRecord(record, search)
      if (kind !== null) faults.push({ pointer: pointerInRecord(record, search), kind })
    }
  }
}

/** A secret may have the length of a random value. */
function finderOfSecretAsRandom(prefix: string): Finder {
  return (value, faults) => {
    const kind = typeof value === "string" ? secretAsRandom(prefix, value) : null
    if (kind !== null) faults.push({ pointer: "", kind })
  }
}

function kindInRecord(record: Readonly<Record<string, string>>, search: Search): SensitiveFault["kind"] | null {
  if (isPrivateKey(record)) return "PRIVATE_KEY_MATERIAL"
  let all = ""
  let texts = ""
  for (const name in record) {
    const entry = `${name}: ${record[name]}, `
    const use = useOfName(name)
    const kind = use === undefined ? null : findInText(entry, use, search)
    if (kind !== null) return kind
    all += entry
    texts += `${record[name]}, `
  }
  return (
    findInEntries({ all, names: Object.keys(record), values: texts }, undefined, search) ??
    findInText(Object.keys(record).join(", "), "ACCOUNT", search)
  )
}

function pointerInRecord(record: Readonly<Record<string, string>>, search: Search): string {
  const own = Object.entries(record).find(([name, text]) => kindInRecord({ [name]: text }, search) !== null)
  return own ? belowChosen(WHOLE, own[0]).pointer : ""
}

function putUnder(pointer: string, faults: SensitiveFault[], from: number): void {
  for (let i = from; i < faults.length; i++) {
    const fault = faults[i]
    if (fault) faults[i] = { ...fault, pointer: pointer + fault.pointer }
  }
}
