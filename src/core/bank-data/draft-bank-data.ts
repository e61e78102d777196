/**
 * Finds raw bank data in a draft of a request. A draft may break every rule of its schema, so each text and each name in it is searched,
 * except a value that has the fixed form of its member.
 */

import type { TSchema } from "@sinclair/typebox"
import { pointerStep } from "../json-pointer.ts"
import { isFixedForm } from "./fixed-form.ts"
import { findRawBankData, type RawBankData } from "./raw-bank-data.ts"

export interface BankDataFault {
  /** RFC 6901 pointer. It consists of schema member names and indexes only, never of text from the caller. */
  readonly pointer: string
  readonly kind: RawBankData
}

interface Node extends TSchema {
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly items?: TSchema
  readonly anyOf?: readonly TSchema[]
}

/** Returns at most one fault for each pointer. */
export function draftBankDataFaults(schema: TSchema, draft: unknown): readonly BankDataFault[] {
  const faults: BankDataFault[] = []
  lookAtDraft(schema, draft, "", faults)
  return faults
}

/** Appends at most one fault for each member. Pointers are made of schema member names and indexes, never of text from the caller. */
export function lookAtDraft(schema: TSchema | undefined, value: unknown, at: string, faults: BankDataFault[]): void {
  if (typeof value === "number") note(String(value), at, faults)
  else if (typeof value === "string") {
    if (!hasFixedForm(schema, value)) note(value, at, faults)
  } else if (Array.isArray(value)) lookAtItems(schema, value, at, faults)
  else if (typeof value === "object" && value !== null) lookAtObject(schema, value, at, faults)
}

/** Searches the scalars of a list also as one text, for the same reason as {@link lookAtObject}. */
function lookAtItems(
  schema: TSchema | undefined,
  items: readonly unknown[],
  at: string,
  faults: BankDataFault[],
): void {
  const { items: item } = (schema ?? {}) as Node
  const { length } = faults
  for (const [index, value] of items.entries()) lookAtDraft(item, value, item ? `${at}/${index}` : at, faults)
  if (faults.length > length) return
  const scalars = items.filter((value) => typeof value === "string" && !hasFixedForm(item, value))
  note(scalars.join(", "), at, faults)
}

/**
 * Searches the unnamed members of an object as one text, because a sort code and its account number can be two of them. The pointer names
 * the object, because the caller chose the names.
 */
function lookAtObject(schema: TSchema | undefined, value: object, at: string, faults: BankDataFault[]): void {
  const properties = membersOf(schema)
  let others = ""
  for (const [name, member] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (known) lookAtDraft(known, member, at + pointerStep(name), faults)
    else if (typeof member === "object") {
      others += `${name}: , `
      lookAtDraft(undefined, member, at, faults)
    } else others += `${name}: ${String(member)}, `
  }
  note(others, at, faults)
}

function note(text: string, pointer: string, faults: BankDataFault[]): void {
  const kind = findRawBankData(text)
  if (kind !== null && !faults.some((fault) => fault.pointer === pointer)) faults.push({ pointer, kind })
}

/** The members of an object, or of all the objects that a union allows. */
function membersOf(schema: TSchema | undefined): Readonly<Record<string, TSchema>> {
  const { properties, anyOf } = (schema ?? {}) as Node
  return properties ?? Object.assign({}, ...(anyOf ?? []).map(membersOf))
}

function hasFixedForm(schema: TSchema | undefined, value: string): boolean {
  const { anyOf } = (schema ?? {}) as Node
  if (anyOf) return anyOf.some((variant) => hasFixedForm(variant, value))
  if (schema === undefined) return false
  if (schema["const"] === value) return true
  const { pattern } = schema
  const isFixed = schema["format"] === "date-time" || isFixedForm(schema)
  return isFixed && typeof pattern === "string" && new RegExp(pattern, "u").test(value)
}
