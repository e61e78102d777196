/**
 * Reads JSON once and rejects every text that two readers could understand differently: invalid UTF-8, a byte order mark, duplicate or
 * `__proto__` member names, unpaired surrogates, numbers that a double cannot hold, deep nesting. The result can be canonicalized and
 * digested without a second possible meaning.
 */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [member: string]: JsonValue }

export type JsonObject = { readonly [member: string]: JsonValue }

export type JsonFault =
  | "NOT_UTF8"
  | "BYTE_ORDER_MARK"
  | "NOT_JSON"
  | "DUPLICATE_MEMBER"
  | "RESERVED_MEMBER"
  | "UNPAIRED_SURROGATE"
  | "NUMBER_OUT_OF_RANGE"
  | "TOO_DEEP"

/** `offset` counts UTF-16 units from the start of the text. The error contains no part of the text. */
export class StrictJsonError extends Error {
  constructor(
    readonly fault: JsonFault,
    readonly offset: number,
  ) {
    super(`${fault} at ${offset}`)
  }
}

export const DEPTH_MAX = 32

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Parses the exact bytes of a document. Throws {@link StrictJsonError}. */
export function readJson(bytes: Uint8Array, depthMax = DEPTH_MAX): JsonValue {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw new StrictJsonError("NOT_UTF8", 0)
  }
  if (text.charCodeAt(0) === 0xfeff) throw new StrictJsonError("BYTE_ORDER_MARK", 0)
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue
  } catch {
    throw new StrictJsonError("NOT_JSON", 0)
  }
  if (!isPlainlyStrict(text, value, depthMax)) new Scanner(text, depthMax).scan()
  return value
}

/** The same; undefined for bytes that are not strict JSON. */
export function jsonOrUndefined(bytes: Uint8Array): JsonValue | undefined {
  try {
    return readJson(bytes)
  } catch (error) {
    if (error instanceof StrictJsonError) return undefined
    throw error
  }
}

/**
 * Fast path at half the cost of the scan: true means that the text is strict. JSON.parse keeps one copy of a duplicate name, so equal
 * member counts in text and value mean that there are no duplicates. False proves nothing.
 */
function isPlainlyStrict(text: string, value: JsonValue, depthMax: number): boolean {
  return !text.includes("\\") && !text.includes("__proto__") && membersIn(value, depthMax) === membersOf(text)
}

/** Counts the members of a JSON text without escapes: its colons outside strings. */
function membersOf(text: string): number {
  let members = 0
  let at = 0
  for (;;) {
    const opens = text.indexOf('"', at)
    if (opens < 0) return members
    const closes = text.indexOf('"', opens + 1)
    // Only white space can precede the colon.
    at = closes + 1
    let unit = text.charCodeAt(at)
    while (unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)) unit = text.charCodeAt(++at)
    if (unit === COLON) members++
  }
}

/** Returns NaN, which equals no number, if the value is nested too deep or holds a number whose text must be checked. */
function membersIn(value: JsonValue, depthLeft: number): number {
  if (typeof value === "number") return isPlainNumber(value) ? 0 : Number.NaN
  if (typeof value !== "object" || value === null) return 0
  if (depthLeft === 0) return Number.NaN
  let members = 0
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) members += membersIn(value[i] as JsonValue, depthLeft - 1)
    return members
  }
  for (const name in value) members += 1 + membersIn(value[name] as JsonValue, depthLeft - 1)
  return members
}

function isPlainNumber(value: number): boolean {
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))
}

const COLON = 0x3a
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Returns the offset of the next backslash, or the end of the text. JSON has no backslash outside strings. */
function nextBackslash(text: string, from: number): number {
  const found = text.indexOf("\\", from)
  return found < 0 ? text.length : found
}

/** JSON.parse has already accepted the text, so the scan only has to find its structure. */
class Scanner {
  private readonly names: (Set<string> | null)[] = []
  private expectName = false
  private at = 0
  /** Offset of the next backslash. A string that ends before it has no escape, so one native search finds its end. */
  private backslash: number

  constructor(
    private readonly text: string,
    private readonly depthMax: number,
  ) {
    this.backslash = nextBackslash(text, 0)
  }

  scan(): void {
    const { text } = this
    while (this.at < text.length) {
      const unit = text.charCodeAt(this.at)
      if (unit === QUOTE) this.string()
      else if (unit === 0x2d || (unit >= 0x30 && unit <= 0x39)) this.number()
      else {
        if (unit === 0x7b) this.open(new Set())
        else if (unit === 0x5b) this.open(null)
        else if (unit === 0x7d || unit === 0x5d) {
          this.names.pop()
          this.expectName = false
        } else if (unit === 0x2c) this.expectName = this.names.at(-1) instanceof Set
        this.at++
      }
    }
  }

  private open(names: Set<string> | null): void {
    this.names.push(names)
    if (this.names.length > this.depthMax) throw new StrictJsonError("TOO_DEEP", this.at)
    this.expectName = names !== null
  }

  private string(): void {
    const start = this.at
    const { text } = this
    let end = text.indexOf('"', start + 1)
    const escaped = this.backslash < end
    if (escaped) {
      end = this.backslash
      for (let unit = text.charCodeAt(end); unit !== QUOTE; unit = text.charCodeAt(end)) {
        end += unit === BACKSLASH ? 2 : 1
      }
      this.backslash = nextBackslash(text, end)
    }
    this.at = end + 1
    // A fatal UTF-8 decoder never returns lone surrogates. Only an escape can write one.
    if (!escaped && !this.expectName) return
    const value = escaped ? (JSON.parse(text.slice(start, end + 1)) as string) : text.slice(start + 1, end)
    if (escaped && !value.isWellFormed()) throw new StrictJsonError("UNPAIRED_SURROGATE", start)
    if (this.expectName) this.name(value, start)
  }

  private name(name: string, start: number): void {
    const names = this.names.at(-1)
    if (!names) return
    if (name === "__proto__") throw new StrictJsonError("RESERVED_MEMBER", start)
    if (names.has(name)) throw new StrictJsonError("DUPLICATE_MEMBER", start)
    names.add(name)
    this.expectName = false
  }

  private number(): void {
    const start = this.at
    const { text } = this
    let integer = true
    let end = start
    for (; end < text.length; end++) {
      const unit = text.charCodeAt(end)
      if ((unit >= 0x30 && unit <= 0x39) || unit === 0x2d) continue
      if (unit === 0x2e || unit === 0x65 || unit === 0x45 || unit === 0x2b) integer = false
      else break
    }
    this.at = end
    if (integer && end - start < 16) return
    const value = Number(text.slice(start, end))
    if (integer ? !Number.isSafeInteger(value) : !Number.isFinite(value)) {
      throw new StrictJsonError("NUMBER_OUT_OF_RANGE", start)
    }
  }
}

/** A member of an object read from a file. Undefined when there is no such member, or no object. */
export function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** False for a list. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return isObject(value)
}

/** The same for a value that need not be JSON. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
