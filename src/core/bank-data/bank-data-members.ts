/** Finds the members of a body with a closed schema that contain raw bank data. */

import { Kind, type TObject, type TSchema } from "@sinclair/typebox"
import { DRAFT_OF } from "../../../schemas/hints.ts"
import { pointerStep } from "../json-pointer.ts"
import { type BankDataFault, lookAtDraft } from "./draft-bank-data.ts"
import { isFixedForm } from "./fixed-form.ts"
import { findRawBankData } from "./raw-bank-data.ts"

/** Appends the faults found in one value. Pointers are relative to that value. */
type Look = (value: unknown, faults: BankDataFault[]) => void

/**
 * Returns a function that searches every free text and opaque id of a body that its schema accepted, with at most one fault per member.
 * Throws a TypeError for a schema of an unknown kind, so that no member goes unchecked by oversight.
 */
export function bankDataFaults(schema: TSchema): (body: unknown) => readonly BankDataFault[] {
  const look = lookAt(schema)
  return (body) => {
    const faults: BankDataFault[] = []
    look?.(body, faults)
    return faults
  }
}

/** Returns null if the schema has nothing to check. */
function lookAt(schema: TSchema): Look | null {
  switch (schema[Kind]) {
    case "String":
    case "Text":
      return isFixedForm(schema) ? null : lookAtText
    case "Object":
      return DRAFT_OF in schema ? lookAtDraftOf(schema) : lookAtMembers(schema as TObject)
    case "Array":
      return lookAtItems(schema["items"] as TSchema)
    case "Union":
      return lookAtVariants(schema["anyOf"] as TSchema[])
    case "Record":
      return lookAtRecord(Object.values(schema["patternProperties"] as Record<string, TSchema>))
    case "TextMap":
      return lookAtRecord([schema["additionalProperties"] as TSchema])
    case "Literal":
    case "Null":
    case "Boolean":
    case "Integer":
    case "Number":
    case "DateTime":
      return null
    default:
      throw new TypeError(`no rule says whether ${schema[Kind]} may hold bank data`)
  }
}

function lookAtText(value: unknown, faults: BankDataFault[]): void {
  if (typeof value !== "string") return
  const kind = findRawBankData(value)
  if (kind !== null) faults.push({ pointer: "", kind })
}

function lookAtMembers({ properties, additionalProperties }: TObject): Look | null {
  if (additionalProperties !== false) throw new TypeError("an open object may hold anything")
  const members: [pointer: string, name: string, look: Look][] = []
  for (const [name, schema] of Object.entries(properties)) {
    const look = lookAt(schema)
    if (look) members.push([pointerStep(name), name, look])
  }
  if (members.length === 0) return null
  return (value, faults) => {
    if (typeof value !== "object" || value === null) return
    for (const [pointer, name, look] of members) {
      const before = faults.length
      look((value as Readonly<Record<string, unknown>>)[name], faults)
      if (faults.length > before) putUnder(pointer, faults, before)
    }
  }
}

function lookAtDraftOf(schema: TSchema): Look {
  const request = (schema as { readonly [DRAFT_OF]?: TSchema })[DRAFT_OF]
  return (value, faults) => lookAtDraft(request, value, "", faults)
}

function lookAtItems(schema: TSchema): Look | null {
  const look = lookAt(schema)
  if (look === null) return null
  return (value, faults) => {
    if (!Array.isArray(value)) return
    for (let i = 0; i < value.length; i++) {
      const before = faults.length
      look(value[i], faults)
      if (faults.length > before) putUnder(`/${i}`, faults, before)
    }
  }
}

/** If a member is free text in one variant, it is checked in all variants. */
function lookAtVariants(variants: readonly TSchema[]): Look | null {
  const looks = variants.map(lookAt).filter((look) => look !== null)
  if (looks.length === 0) return null
  return (value, faults) => {
    const before = faults.length
    for (const look of looks) look(value, faults)
    if (looks.length === 1 || faults.length === before) return
    const once = new Map(faults.splice(before).map((fault) => [fault.pointer, fault]))
    faults.push(...once.values())
  }
}

/**
 * Checks names and values as one text, because a sort code and its account number can be two members of the record. The pointer names the
 * record itself, because the caller chose its member names.
 */
function lookAtRecord(values: readonly TSchema[]): Look {
  if (values.some((each) => each[Kind] !== "String" && each[Kind] !== "Text"))
    throw new TypeError("only a record of texts is supported")
  return (value, faults) => {
    if (typeof value !== "object" || value === null) return
    let text = ""
    for (const name in value) text += `${name}: ${Reflect.get(value, name)}, `
    lookAtText(text, faults)
  }
}

function putUnder(pointer: string, faults: BankDataFault[], from: number): void {
  for (let i = from; i < faults.length; i++) {
    const fault = faults[i]
    if (fault) faults[i] = { ...fault, pointer: pointer + fault.pointer }
  }
}
