/** Finds what may not be stored in a message that has just arrived: secrets, and raw bank data in what its sender wrote. */
import type { Use } from "../../schemas/hints.ts"
import { findInText, type SensitiveFault } from "../core/sensitive/find-in-text.ts"
import { rejectionOf, SENSITIVE_CODES, ServiceError } from "../errors.ts"
import { readContactBody } from "./contact-body.ts"
import { bytesOf, type Email, jsonPartOf, parseMessage } from "./read-json-part.ts"

/**
 * Returns the refusal of a message, or null. The JSON document is judged as the contact route judges its body. Every other part, the header
 * fields and the bytes as they came are searched as texts.
 */
export async function refusalOfUnread(raw: Uint8Array): Promise<ServiceError | null> {
  const whole = kindIn(Buffer.from(raw).toString("utf8"), undefined, false)
  const email = await parsedOrNull(raw)
  const kind = whole ?? (email && kindOf(email))
  return (email && refusalOfDocument(email)) ?? rejectionOf(kind ? [{ pointer: "", kind }] : [])
}

async function parsedOrNull(raw: Uint8Array): Promise<Email | null> {
  try {
    return await parseMessage(raw)
  } catch (error) {
    if (error instanceof ServiceError) return null
    throw error
  }
}

/** Null for a document without a secret or bank data, whatever else is wrong with it, and for a message without a document. */
function refusalOfDocument(email: Email): ServiceError | null {
  try {
    readContactBody(jsonPartOf(email))
    return null
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return SENSITIVE_CODES.has(error.code) ? error : null
  }
}

function kindOf({ headers, text = "", html = "", attachments }: Email): SensitiveFault["kind"] | null {
  const isDocument = attachments.length === 0 && /^\s*\{/.test(text)
  return (
    kindIn(text, isDocument ? undefined : "PROSE", !isDocument) ??
    kindIn(html, undefined, false) ??
    firstKind(headers.map(({ value }) => value)) ??
    firstKind(attachments.map((part) => Buffer.from(bytesOf(part)).toString("utf8")))
  )
}

function firstKind(texts: readonly string[]): SensitiveFault["kind"] | null {
  return texts.map((text) => kindIn(text, undefined, false)).find((kind) => kind !== null) ?? null
}

function kindIn(text: string, use: Use | undefined, bankData: boolean): SensitiveFault["kind"] | null {
  return findInText(text, use, { bankData })
}
