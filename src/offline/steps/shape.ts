import type { Static, TSchema } from "@sinclair/typebox"
import { Value, ValueErrorType } from "@sinclair/typebox/value"
import type { JsonValue } from "../../core/strict-json.ts"
import type { Report } from "../report.ts"

interface ShapeFault {
  /** JSON pointer of the first value that does not match. A fault inside a union is reported at the union. */
  readonly pointer: string
  /** True if the pointer ends with a member that the closed schema does not have: its name is the sender's. */
  readonly isUnknownMember: boolean
}

/** Returns null if the value matches. */
export function shapeFault(schema: TSchema, value: JsonValue): ShapeFault | null {
  if (Value.Check(schema, value)) return null
  const fault = Value.Errors(schema, value).First()
  return { pointer: fault?.path ?? "", isUnknownMember: fault?.type === ValueErrorType.ObjectAdditionalProperties }
}

/** The place of a fault in words. Somebody else wrote the name of an unknown member, so it is not repeated. */
export function placeOf({ pointer, isUnknownMember }: ShapeFault): string {
  if (isUnknownMember) return `${pointer.slice(0, pointer.lastIndexOf("/"))}/(unknown member)`
  return pointer || "/"
}

/** Names as in the service's schemas. A file may use any text as a member name; other text is not printed. */
const PLAIN_POINTER = /^[A-Za-z0-9_./-]{1,200}$/

/** Adds a line on whether `value` has the form `ok`. If not, the line names the first wrong place, and the result is null. */
export function readForm<Form extends TSchema>(
  report: Report,
  check: string,
  { schema, value, ok, invalid }: { schema: Form; value: JsonValue; ok: string; invalid: string },
): Static<Form> | null {
  if (Value.Check(schema, value)) {
    report.check(check, true, { ok, invalid: "" })
    return value
  }
  const pointer = shapeFault(schema, value)?.pointer ?? ""
  report.check(check, false, {
    ok: "",
    invalid: PLAIN_POINTER.test(pointer) ? `${invalid}; look at ${pointer}` : invalid,
  })
  return null
}
