/** Finds the one JSON document of a message with postal-mime. */
import PostalMime, { decodeWords, type Email } from "postal-mime"
import { ServiceError } from "../../base/errors.ts"

export type { Email }

/** A message of an agent has one part or two. */
const NESTING_MAX = 8
const HEADERS_BYTES_MAX = 64 * 1024
const JSON_TYPE = "application/json"

/** Returns the bytes of the attachment of type application/json, or of the text. Throws {@link ServiceError} if there is no such part. */
export async function readJsonPart(raw: Uint8Array): Promise<Uint8Array> {
  return jsonPartOf(await parseMessage(raw))
}

/** As {@link readJsonPart}, of a message that was parsed. */
export function jsonPartOf({ attachments, text }: Email): Uint8Array {
  const documents = attachments.filter(({ mimeType }) => mimeType === JSON_TYPE)
  if (documents.length > 1) throw noJson()
  const [document] = documents
  if (document) {
    return bytesOf(document)
  }
  if (text === undefined || text.trim() === "") throw noJson()
  return Buffer.from(text.trim())
}

/** The decoded bytes of an attachment. */
export function bytesOf({ content }: Email["attachments"][number]): Uint8Array {
  return typeof content === "string" ? Buffer.from(content) : new Uint8Array(content)
}

/** Throws {@link ServiceError} for a message that cannot be parsed. */
export async function parseMessage(raw: Uint8Array): Promise<Email> {
  try {
    return await PostalMime.parse(raw, {
      maxNestingDepth: NESTING_MAX,
      maxHeadersSize: HEADERS_BYTES_MAX,
      // A forwarded message is no text of its sender.
      forceRfc822Attachments: true,
    })
  } catch {
    // The parser throws for what passes its limits. The message is the sender's alone, so no bug hides here.
    throw noJson()
  }
}

/** The text with its folded lines joined and its encoded words (RFC 2047) decoded, as headers are read. */
export function decodeHeaders(text: string): string {
  return decodeWords(text.replace(/\r?\n(?=[ \t])/g, ""))
}

/** The refusal of a message without one JSON document that can be read. */
export function noJson(): ServiceError {
  return new ServiceError(
    "MALFORMED_JSON",
    "Send one JSON document: as plain text or as one attachment of application/json.",
  )
}
