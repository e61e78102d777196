/** Finds where a text stops being JSON, and whether it only ends too early. A person needs this to repair a file that cannot be read. */

interface JsonFault {
  /** UTF-16 units from the start to the first unit that no JSON text can have there, or to the end of the text. */
  readonly offset: number
  /** True if the whole text is the beginning of a JSON text. */
  readonly endsEarly: boolean
}

const SPACE = /[\t\n\r ]*/y
/** A part of the inside of a string. It is limited, because the engine of a browser keeps a place for each repetition and runs out of them. */
const STRING_PART = /(?:[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})){1,10000}/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
/** The longest beginning of a number. */
const NUMBER_START = /-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][+-]?[0-9]*)?)?/y
const ESCAPE_START = /\\(?:u[0-9A-Fa-f]{0,3})?$/
const WORDS = ["true", "false", "null"]

type Expected = "VALUE" | "VALUE_OR_END" | "NAME" | "NAME_OR_END" | "COLON" | "COMMA_OR_END" | "NOTHING"

/** Returns null for a JSON text. It walks the text and builds no value, so depth and number of members have no limit. */
export function jsonFault(text: string): JsonFault | null {
  const open: ("{" | "[")[] = []
  let expected: Expected = "VALUE"
  let at = 0
  const fault = (offset: number): JsonFault => ({ offset, endsEarly: offset >= text.length })
  const afterValue = (): Expected => (open.length === 0 ? "NOTHING" : "COMMA_OR_END")
  for (;;) {
    at += matched(SPACE, text, at)
    const unit = text[at]
    if (unit === undefined) return expected === "NOTHING" ? null : fault(at)
    const isValue: boolean = expected === "VALUE" || expected === "VALUE_OR_END"
    if (unit === '"' && (isValue || expected === "NAME" || expected === "NAME_OR_END")) {
      const end = endOfString(text, at + 1)
      if (text[end] !== '"') return fault(ESCAPE_START.test(text.slice(end)) ? text.length : end)
      at = end + 1
      expected = isValue ? afterValue() : "COLON"
    } else if (isValue && (unit === "{" || unit === "[")) {
      open.push(unit)
      at++
      expected = unit === "{" ? "NAME_OR_END" : "VALUE_OR_END"
    } else if (isClosing(unit, open.at(-1)) && (expected === "COMMA_OR_END" || expected.endsWith("_OR_END"))) {
      open.pop()
      at++
      expected = afterValue()
    } else if (unit === "," && expected === "COMMA_OR_END") {
      at++
      expected = open.at(-1) === "{" ? "NAME" : "VALUE"
    } else if (unit === ":" && expected === "COLON") {
      at++
      expected = "VALUE"
    } else if (isValue) {
      const length = scalarLength(text, at)
      if (length === null) return fault(scalarFault(text, at))
      at += length
      expected = afterValue()
    } else return fault(at)
  }
}

/** Returns the offset of the first unit from `at` on that does not belong to a string: its closing quote, a fault, or the end of the text. */
function endOfString(text: string, at: number): number {
  for (let end = at; ; ) {
    const length = matched(STRING_PART, text, end)
    if (length === 0) return end
    end += length
  }
}

function isClosing(unit: string, opened: "{" | "[" | undefined): boolean {
  return (unit === "}" && opened === "{") || (unit === "]" && opened === "[")
}

/** Returns the length of the number or word at `at`. Returns null if there is none, or if the end of the text cuts it short. */
function scalarLength(text: string, at: number): number | null {
  const word = WORDS.find((one) => text.startsWith(one, at))
  if (word !== undefined) return word.length
  const length = matched(NUMBER, text, at)
  return length === 0 || length < matched(NUMBER_START, text, at) ? null : length
}

/** Returns the offset where the number or word at `at` becomes invalid. */
function scalarFault(text: string, at: number): number {
  const rest = text.slice(at, at + 5)
  if (WORDS.some((one) => one.startsWith(rest))) return text.length
  return at + matched(NUMBER_START, text, at)
}

function matched(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0].length ?? 0
}
