/** The header block of a message (RFC 5322): strict, because whom a message is from is read here. */

export interface HeaderField {
  /** In lower case. */
  readonly name: string
  /** Unfolded, without the space around it. */
  readonly value: string
}

type HeaderFault = "NO_HEADER_END" | "HEADER_TOO_LONG" | "BARE_LINE_BREAK" | "HEADER_MALFORMED"

/** Longest header block that is read, in bytes. */
const HEADER_BYTES_MAX = 64 * 1024
const FIELD = /^([\x21-\x39\x3b-\x7e]{1,120})[ \t]*:(.*)$/

/**
 * Returns the fields from the top down, or why the block is not read. A line break is CR LF and nothing else: two readers that disagree about
 * line breaks could see two senders.
 */
export function readHeaderBlock(raw: Uint8Array): readonly HeaderField[] | HeaderFault {
  const text = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, HEADER_BYTES_MAX)).toString("latin1")
  const end = text.indexOf("\r\n\r\n")
  if (end < 0) return raw.byteLength > HEADER_BYTES_MAX ? "HEADER_TOO_LONG" : "NO_HEADER_END"
  const block = text.slice(0, end)
  if (/\r(?!\n)|(?<!\r)\n|\0/.test(block)) return "BARE_LINE_BREAK"
  const fields: HeaderField[] = []
  for (const line of block.replace(/\r\n(?=[ \t])/g, "").split("\r\n")) {
    const [, name, value] = FIELD.exec(line) ?? []
    if (name === undefined || value === undefined) return "HEADER_MALFORMED"
    fields.push({ name: name.toLowerCase(), value: value.trim() })
  }
  return fields
}

/** Returns the values of all fields of a name (in lower case), from the top down. */
export function valuesOf(fields: readonly HeaderField[], name: string): readonly string[] {
  return fields.filter((field) => field.name === name).map(({ value }) => value)
}
