/** JSON texts that a strict reader refuses, made from a text that it reads. */
import { type Draw, drawnWord, one } from "./draws.ts"

type Fault = readonly [name: string, (text: string, draw: Draw) => string | Buffer]

/** Puts a member in front of the others, or wraps a text that is no object. */
function withMember(text: string, member: string): string {
  if (!text.startsWith("{")) return `{${member},"x":${text}}`
  return text === "{}" ? `{${member}}` : `{${member},${text.slice(1)}`
}

const inBytes = (text: string, bytes: readonly number[]): Buffer =>
  Buffer.concat([Buffer.from(`{"x":"`), Buffer.from(bytes), Buffer.from(`","y":${text}}`)])

/** At least one character less. A part of an object, array or text is never a value; a part of a number would be one. */
function partOf(text: string, draw: Draw): string {
  return text.slice(0, Math.floor(draw() * (text.length - 1))).trimEnd() || text.slice(0, 1)
}

const FAULTS: readonly Fault[] = [
  ["nothing", () => ""],
  ["a part", (text, draw) => partOf(/^[{["]/.test(text) ? text : `[${text}]`, draw)],
  ["text after the value", (text) => `${text} x`],
  ["two values", (text) => `${text}${text.startsWith("{") ? text : ",1"}`],
  ["a byte order mark", (text) => `\ufeff${text}`],
  ["one member twice", (text) => withMember(text, '"twice":1,"twice":1')],
  ["one member twice, once escaped", (text) => withMember(text, '"twice":1,"\\u0074wice":1')],
  ["__proto__", (text) => withMember(text, '"__proto__":{"a":1}')],
  ["half a surrogate pair", (text) => withMember(text, '"x":"\\ud800"')],
  ["the other half", (text) => withMember(text, '"x":"\\udc00\\ud800"')],
  ["half a pair in a name", (text) => withMember(text, '"\\udfff":1')],
  [
    "invalid UTF-8",
    (text, draw) => inBytes(text, one([[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]], draw)),
  ],
  ["a huge integer", (text) => withMember(text, '"x":9007199254740993')],
  ["a number no double holds", (text) => withMember(text, '"x":1e400')],
  [
    "deep nesting",
    (text, draw) =>
      withMember(
        text,
        `"x":${"[".repeat(one([33, 64, 1_000, 20_000], draw))}`.replace(
          /\[+$/,
          (open) => `${open}${"]".repeat(open.length)}`,
        ),
      ),
  ],
  ["deep nesting without an end", (text, draw) => withMember(text, `"x":${'{"x":'.repeat(one([33, 5_000], draw))}`)],
  ["NaN", (text) => withMember(text, '"x":NaN')],
  ["a leading zero", (text) => withMember(text, '"x":01')],
  ["a comment", (text) => `/**/${text}`],
  ["a control character", (text) => withMember(text, '"x":"\n"')],
  ["single quotes", (text) => withMember(text, "'x':1")],
  ["a trailing comma", (text) => withMember(`${text.slice(0, -1)},}`, '"x":1')],
  ["UTF-16", (text) => Buffer.from(text, "utf16le")],
  ["noise", (_, draw) => Buffer.from(drawnWord(40, draw))],
]

export function drawnFaultyText(text: string, draw: Draw): { readonly name: string; readonly body: Buffer } {
  const [name, make] = one(FAULTS, draw)
  const made = make(text, draw)
  return { name, body: typeof made === "string" ? Buffer.from(made) : made }
}
