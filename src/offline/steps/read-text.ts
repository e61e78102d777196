/** The first step of the published procedures: the bytes. */
import type { JsonValue } from "../../core/strict-json.ts"
import { Fault } from "./fault.ts"
import { DOCUMENT_BYTES_MAX, isCanonical, readStrict } from "./read.ts"

interface ReadText {
  readonly value: JsonValue
  /** False for a text that is only formatted differently. */
  readonly canonical: boolean
}

/** Throws {@link Fault}. */
export function readText(input: string | Uint8Array): ReadText {
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input
  const read = readStrict(bytes)
  if ("value" in read) {
    const { value } = read
    // The bytes of a text with an unpaired surrogate are those of another text.
    return { value, canonical: (typeof input !== "string" || input.isWellFormed()) && isCanonical(bytes, value) }
  }
  const { fault } = read
  if (fault === "TOO_LARGE") throw new Fault(fault, `The file has more than ${DOCUMENT_BYTES_MAX} bytes.`)
  throw new Fault(fault.fault, `Not strict JSON at character ${fault.offset}.`)
}

/** What the step says of bytes that are read. */
export const BYTES = {
  canonical: "strict JSON, exactly the canonical bytes",
  reformatted: "strict JSON; not the bytes that were sent, as allowed",
  other: "Strict JSON, but not the canonical bytes the service sent.",
} as const
