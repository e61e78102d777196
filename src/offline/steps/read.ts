/** Reads a document from the bytes of a file. It rejects every text that two readers could understand differently. */
import { sameBytes } from "../../core/bytes.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import { jsonFault } from "../../core/json-fault.ts"
import { type JsonValue, readJson, StrictJsonError } from "../../core/strict-json.ts"
import type { Report } from "../report.ts"

/** Largest document that verify and replay read, in bytes. A decision with fifty explained hits has about a tenth of it. */
export const DOCUMENT_BYTES_MAX = 4 * 1024 * 1024

type Read = { readonly value: JsonValue } | { readonly fault: StrictJsonError | "TOO_LARGE" }

/** Strict JSON of a limited size. */
export function readStrict(bytes: Uint8Array): Read {
  if (bytes.length > DOCUMENT_BYTES_MAX) return { fault: "TOO_LARGE" }
  try {
    return { value: readJson(bytes) }
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    return { fault: error }
  }
}

/** True for the bytes that were sent. Other bytes may have the same value: tools add a line feed or indentation to JSON. */
export function isCanonical(bytes: Uint8Array, value: JsonValue): boolean {
  return sameBytes(canonicalBytes(value), bytes)
}

/** Returns undefined after reporting the fault. */
export function readDocument(bytes: Uint8Array, report: Report, name = "document"): JsonValue | undefined {
  const read = readStrict(bytes)
  if ("value" in read) return read.value
  const { fault } = read
  report.unchecked(name, fault === "TOO_LARGE" ? `over ${DOCUMENT_BYTES_MAX} bytes` : unreadable(bytes, fault))
  return undefined
}

/** Explains to a person why bytes are not strict JSON: what the file is instead, or the byte of the fault. */
export function unreadable(bytes: Uint8Array, { fault, offset }: StrictJsonError): string {
  if (bytes.length === 0) return "the file is empty"
  const signature = SIGNATURES.find(({ starts }) => starts.every((byte, at) => bytes[at] === byte))
  if (signature) return `this is ${signature.what}, not JSON`
  if (fault === "BYTE_ORDER_MARK") return "the file begins with a byte order mark: save it without one"
  // Lenient, so that text remains even when the end of the file cuts a character in two.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: fault === "NOT_UTF8" })
  if (fault !== "NOT_JSON" && fault !== "NOT_UTF8") {
    return `not strict JSON: ${fault} at byte ${byteLength(text.slice(0, offset))}`
  }
  const broken = jsonFault(text)
  if (broken?.endsEarly) return `the file ends early at byte ${bytes.length}`
  if (fault === "NOT_UTF8" || broken === null) return "not JSON: the file is not UTF-8 text"
  return `not JSON: syntax error at byte ${byteLength(text.slice(0, broken.offset))}`
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}

/** First bytes of formats that are often passed in place of a document. */
const SIGNATURES: readonly { readonly starts: readonly number[]; readonly what: string }[] = [
  { starts: [0x50, 0x4b, 0x03, 0x04], what: "a ZIP archive" },
  { starts: [0x1f, 0x8b], what: "a gzip file" },
  { starts: [0x28, 0xb5, 0x2f, 0xfd], what: "a zstd file" },
  { starts: [0x25, 0x50, 0x44, 0x46], what: "a PDF" },
  { starts: [0x2d, 0x2d, 0x2d, 0x2d, 0x2d, 0x42], what: "a PEM file" },
  { starts: [0x3c], what: "a page or XML" },
]
