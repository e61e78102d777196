/** Finds the members of a body with a closed schema that contain a secret, or raw bank data where the operation refuses it. */

import { Kind, type TObject, type TSchema } from "@sinclair/typebox"
import { DRAFT_OF, USE, type Use } from "../../../schemas/hints.ts"
import { pointerStep } from "../json-pointer.ts"
import { isPrivateKey } from "../secrets/private-key-value.ts"
import { findInEntries, findInText, type Search, type SensitiveFault, useOfName } from "./find-in-text.ts"
import { isFixedForm, prefixOfRandom, secretAsRandom } from "./fixed-form.ts"
import { lookAtOpen } from "./open-value.ts"
import { belowChosen, WHOLE } from "./place.ts"
import { DraftSearch } from "./sensitive-draft.ts"

/** Appends the faults found in one value. Pointers are relative to that value. */
type Check = (value: unknown, faults: SensitiveFault[]) => void

/**
 * Returns a function that searches every free text and opaque id of a body that its schema accepted, with at most one fault per member.
 * What each member is, is read from the schema once. Throws a TypeError if bank data could be in a member that no rule reaches.
 */
export function sensitiveMembers(schema: TSchema, search: Search): (body: unknown) => readonly SensitiveFault[] {
  const check = new Members(search).checkOf(schema)
  return (body) => {
    const faults: SensitiveFault[] = []
    check?.(body, faults)
    return faults
  }
}

class Members {
  constructor(private readonly search: Search) {}

  /** Returns null if the schema has nothing to check. */
  checkOf(schema: TSchema): Check | null {
    switch (schema[Kind]) {
      case "String":
      case "Text":
        return this.checkOfString(schema)
      case "Object":
        return DRAFT_OF in schema ? this.checkOfDraft(schema) : this.checkOfMembers(schema as TObject)
      case "Array":
        return this.checkOfItems(schema["items"] as TSchema)
      case "Union":
        return this.checkOfVariants(schema["anyOf"] as TSchema[])
      case "Record":
        return this.checkOfRecord(Object.values(schema["patternProperties"] as Record<string, TSchema>))
      case "TextMap":
        return this.checkOfRecord([schema["additionalProperties"] as TSchema])
      case "Literal":
      case "Null":
      case "Boolean":
      case "Integer":
      case "Number":
      case "DateTime":
        return null
      default:
        return this.checkOfAnything(`a value of kind ${schema[Kind]}`)
    }
  }

  private checkOfString(schema: TSchema): Check | null {
    const prefix = prefixOfRandom(schema)
    if (prefix !== null) return checkOfSecretAsRandom(prefix)
    return isFixedForm(schema) ? null : this.checkOfText((schema as { [USE]?: Use })[USE])
  }

  private checkOfText(use: Use | undefined): Check {
    const { search } = this
    return (value, faults) => {
      if (typeof value !== "string") return
      const kind = findInText(value, use, search)
      if (kind !== null) faults.push({ pointer: "", kind })
    }
  }

  /** What no schema describes is searched for secrets only, so an operation that refuses bank data cannot have it. */
  private checkOfAnything(what: string): Check {
    if (this.search.bankData) throw new TypeError(`no rule says whether ${what} may hold bank data`)
    return lookAtOpen
  }

  private checkOfMembers({ properties, additionalProperties }: TObject): Check | null {
    if (additionalProperties !== false) return this.checkOfAnything("an open object")
    const members: [pointer: string, name: string, check: Check][] = []
    for (const [name, schema] of Object.entries(properties)) {
      const check = this.checkOf(schema)
      if (check) members.push([pointerStep(name), name, check])
    }
    if (members.length === 0) return null
    return (value, faults) => {
      if (typeof value !== "object" || value === null) return
      for (const [pointer, name, check] of members) {
        const before = faults.length
        check((value as Readonly<Record<string, unknown>>)[name], faults)
        if (faults.length > before) putUnder(pointer, faults, before)
      }
    }
  }

  private checkOfDraft(schema: TSchema): Check {
    const request = (schema as { readonly [DRAFT_OF]?: TSchema })[DRAFT_OF]
    return (value, faults) => {
      faults.push(...new DraftSearch(this.search).faultsOf(request, value))
    }
  }

  /** The texts of a list are also searched as one, because the words of a seed phrase can be its items. */
  private checkOfItems(schema: TSchema): Check | null {
    const check = this.checkOf(schema)
    if (check === null) return null
    const checkAll = schema[Kind] === "String" || schema[Kind] === "Text" ? this.checkOfText(undefined) : null
    return (value, faults) => {
      if (!Array.isArray(value)) return
      const { length } = faults
      for (let i = 0; i < value.length; i++) {
        const before = faults.length
        check(value[i], faults)
        if (faults.length > before) putUnder(`/${i}`, faults, before)
      }
      if (value.length > 1 && faults.length === length) checkAll?.(value.join(", "), faults)
    }
  }

  /** If a member is free text in one variant, it is checked in all variants. */
  private checkOfVariants(variants: readonly TSchema[]): Check | null {
    const checks = variants.map((variant) => this.checkOf(variant)).filter((check) => check !== null)
    if (checks.length === 0) return null
    return (value, faults) => {
      const before = faults.length
      for (const check of checks) check(value, faults)
      if (checks.length === 1 || faults.length === before) return
      const once = new Map(faults.splice(before).map((fault) => [fault.pointer, fault]))
      faults.push(...once.values())
    }
  }

  /**
   * Checks names and values as one text, because a sort code and its account number can be two members of the record, and the words of a
   * seed phrase can be twelve. The pointer names the member that holds it alone, or else the record.
   */
  private checkOfRecord(values: readonly TSchema[]): Check {
    if (values.some((each) => each[Kind] !== "String" && each[Kind] !== "Text")) {
      return this.checkOfAnything("a record of other values than texts")
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
function checkOfSecretAsRandom(prefix: string): Check {
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
