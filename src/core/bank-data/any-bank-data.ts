/**
 * Finds raw bank data in a value that its schema did not accept. No schema says which of its texts are free, so every text, number and
 * member name is searched.
 */
import type { JsonValue } from "../strict-json.ts"
import type { BankDataFault } from "./bank-data-members.ts"
import { findRawBankData } from "./raw-bank-data.ts"

/** The part of a JSON Schema that is read here. */
interface Named {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Named>>
  readonly items?: Named
}

/** At most one fault for each pointer. A pointer names members of `schema` and indexes only; below another name it is that of the object. */
export function anyBankDataFaults(value: JsonValue, schema: Named): readonly BankDataFault[] {
  const faults = new Map<string, BankDataFault>()
  look(value, schema, "", faults)
  return [...faults.values()]
}

function look(value: JsonValue, schema: Named | undefined, pointer: string, faults: Map<string, BankDataFault>): void {
  if (isScalar(value)) lookAtText(String(value), pointer, faults)
  else if (Array.isArray(value)) lookAtItems(value, schema, pointer, faults)
  else if (typeof value === "object" && value !== null) lookAtMembers(value, schema, pointer, faults)
}

function lookAtItems(
  items: readonly JsonValue[],
  schema: Named | undefined,
  pointer: string,
  faults: Map<string, BankDataFault>,
): void {
  for (const [index, item] of items.entries())
    look(item, schema?.items, schema ? `${pointer}/${index}` : pointer, faults)
  // A sort code and its account number can be two items.
  lookAtText(items.filter(isScalar).join(", "), pointer, faults)
}

function lookAtMembers(
  value: { readonly [name: string]: JsonValue },
  schema: Named | undefined,
  pointer: string,
  faults: Map<string, BankDataFault>,
): void {
  const unnamed: string[] = []
  for (const [name, member] of Object.entries(value)) {
    const known = schema?.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
    look(member, known, known ? `${pointer}/${escaped(name)}` : pointer, faults)
    if (!known) unnamed.push(isScalar(member) ? `${name}: ${member}` : name)
  }
  // The same of two members whose names the caller chose.
  lookAtText(unnamed.join(", "), pointer, faults)
}

function lookAtText(text: string, pointer: string, faults: Map<string, BankDataFault>): void {
  const kind = findRawBankData(text)
  if (kind !== null && !faults.has(pointer)) faults.set(pointer, { pointer, kind })
}

function isScalar(value: JsonValue): value is string | number {
  return typeof value === "string" || typeof value === "number"
}

function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1")
}
