/** Finds what may not be stored in a message that has just arrived: secrets, and raw bank data in what its sender wrote. */
import type { Use } from "../../../schemas/hints.ts"
import { ServiceError } from "../../base/errors.ts"
import { rejectionOf, SENSITIVE_CODES } from "../../base/sensitive-refusals.ts"
import { findInText, type SensitiveFault } from "../../core/sensitive/find-in-text.ts"
import { readContactBody } from "./contact-body.ts"
import { bytesOf, decodeHeaders, type Email, jsonPartOf, noJson, parseMessage } from "./read-json-part.ts"

/** A forwarded message may contain another one, and so on. */
const FORWARDED_MAX = 4

/**
 * Returns the refusal of a message, or null. The JSON document is judged as the contact route judges its body. Every other part, the header
 * fields and the bytes as they came are searched as texts. A message that cannot be parsed is refused, because its parts cannot be searched.
 */
export async function refusalOfUnread(raw: Uint8Array): Promise<ServiceError | null> {
  try {
    const email = await parseMessage(raw)
    const kind = kindInRaw(raw) ?? (await kindOf(email, FORWARDED_MAX))
    return refusalOfDocument(email) ?? refusalOfKind(kind)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return refusalOfKind(kindInRaw(raw)) ?? error
  }
}

type Kind = SensitiveFault["kind"] | null

function refusalOfKind(kind: Kind): ServiceError | null {
  return rejectionOf(kind ? [{ pointer: "", kind }] : [])
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

/** The bytes as they came, and as the headers in them are read. */
function kindInRaw(raw: Uint8Array): Kind {
  const text = Buffer.from(raw).toString("utf8")
  return firstKind(text.includes("=?") ? [text, decodeHeaders(text)] : [text])
}

/** Throws {@link ServiceError} for a forwarded message that cannot be parsed, and for too many in one another. */
async function kindOf({ text = "", html = "", attachments }: Email, forwardedMax: number): Promise<Kind> {
  const isDocument = attachments.length === 0 && /^\s*\{/.test(text)
  const found =
    kindIn(text, isDocument ? undefined : "PROSE", !isDocument) ??
    firstKind([html, readHtml(html, ""), readHtml(html, " ")]) ??
    firstKind(attachments.map(({ filename }) => filename ?? "")) ??
    firstKind(attachments.map((part) => Buffer.from(bytesOf(part)).toString("utf8")))
  return found ?? kindInForwarded(attachments, forwardedMax)
}

async function kindInForwarded(attachments: Email["attachments"], forwardedMax: number): Promise<Kind> {
  for (const part of attachments) {
    if (part.mimeType !== "message/rfc822") continue
    if (forwardedMax === 0) throw noJson()
    const raw = bytesOf(part)
    const kind = kindInRaw(raw) ?? (await kindOf(await parseMessage(raw), forwardedMax - 1))
    if (kind !== null) return kind
  }
  return null
}

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', apos: "'", amp: "&", lt: "<", gt: ">", nbsp: " " }

/** The text of a page with this text in place of each tag. */
function readHtml(html: string, tag: string): string {
  return html
    .replace(/<[^<>]*>/g, tag)
    .replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,4}));/gi, (all, hex?: string, decimal?: string, name = "") => {
      if (name !== "") return ENTITIES[name] ?? all
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return code <= 0x10ffff ? String.fromCodePoint(code) : all
    })
}

function firstKind(texts: readonly string[]): Kind {
  return texts.map((text) => kindIn(text, undefined, false)).find((kind) => kind !== null) ?? null
}

function kindIn(text: string, use: Use | undefined, bankData: boolean): Kind {
  return findInText(text, use, { bankData })
}
