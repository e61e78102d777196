/** Where in a body of a closed schema raw bank data may stand, and where it does. */
import { Kind, type TObject, type TSchema } from "@sinclair/typebox"
import { Amount, AtomicAmount, Currency, Digest, EvmAddress } from "../../schemas/common.ts"
import { findRawBankData, type RawBankData } from "./raw-bank-data.ts"

export interface BankDataFault {
  /** RFC 6901, of schema member names and indexes alone: never a text of the caller's. */
  readonly pointer: string
  readonly kind: RawBankData
}

/** Adds the faults of one value, with pointers from that value on. */
type Look = (value: unknown, faults: BankDataFault[]) => void

/**
 * Looks at every free text and opaque id of a body that its schema has accepted, at most one fault a member. Throws a TypeError for a
 * schema of a kind it does not know: a member must not pass because nobody thought of it.
 */
export function bankDataFaults(schema: TSchema): (body: unknown) => readonly BankDataFault[] {
  const look = lookAt(schema)
  return (body) => {
    const faults: BankDataFault[] = []
    look?.(body, faults)
    return faults
  }
}

/** Null where there is nothing to look at. */
function lookAt(schema: TSchema): Look | null {
  switch (schema[Kind]) {
    case "String":
    case "Text":
      return isFixedForm(schema) ? null : lookAtText
    case "Object":
      return lookAtMembers(schema as TObject)
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
      throw new TypeError(`nobody said whether ${schema[Kind]} may hold bank data`)
  }
}

const FIXED_FORMS: ReadonlySet<unknown> = new Set([
  ...[Digest, Currency, Amount, AtomicAmount, EvmAddress].map(({ pattern }) => pattern),
  // Whole amounts in other words.
  "^\\d+$",
  "^[1-9][0-9]*$",
])

/** What the service makes or checks itself: ids, keys, tokens and signatures, random from end to end and of one length. */
const RANDOM_FORM = /^\^[a-z0-9:_-]*\[A-Za-z0-9_-\]\{(2[2-9]|[3-9]\d)\}\$$/

/** Amounts are one card number in twenty by chance, and the rest is never chosen by the caller (rulings 57). */
function isFixedForm({ pattern }: TSchema): boolean {
  return FIXED_FORMS.has(pattern) || (typeof pattern === "string" && RANDOM_FORM.test(pattern))
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
    if (look) members.push([`/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, name, look])
  }
  if (members.length === 0) return null
  return (value, faults) => {
    if (typeof value !== "object" || value === null) return
    for (const [pointer, name, look] of members) {
      const before = faults.length
      look(Reflect.get(value, name), faults)
      if (faults.length > before) putUnder(pointer, faults, before)
    }
  }
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

/** A member that is free text in one variant is looked at in all. */
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
 * Names and values as one text: a sort code and its account number are two members of such a record. The record itself is
 * pointed at, because its names are the caller's.
 */
function lookAtRecord(values: readonly TSchema[]): Look {
  if (values.some((each) => each[Kind] !== "String" && each[Kind] !== "Text"))
    throw new TypeError("a record of texts is all that is known here")
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
