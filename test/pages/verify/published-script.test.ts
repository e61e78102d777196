/** The text of the page's script: one text without imports, that can reach nothing. */
import { expect, test } from "bun:test"
import { policyChecksum } from "../../../src/checks/policy/policy-checksum.ts"
import { inScriptElement } from "../../../src/pages/bundled-script.ts"
import { KNOWN } from "../../../src/pages/verify/known.ts"
import { VERIFY_SCRIPT as script } from "../../../src/pages/verify-script.ts"
import { ANSWER_RULES } from "../../../src/products/products.ts"

/** Bytes. A larger script needs a reason. The curve P-256 and the forms of review records take 33 kB. */
const SIZE_MAX = 520_000

/** Every place of the pattern with its surroundings: the whole script would not help a reader. */
const places = (pattern: RegExp) =>
  [...script.matchAll(pattern)].map(({ index }) => script.slice(index - 30, index + 50))

test.each([
  [
    "imports nothing and names no module of a machine",
    /\bimport\s*[("'{*]|\bimport\.meta\b|\brequire\(|["'](?:node|bun):/g,
  ],
  ["uses nothing of a machine", /\b(?:Buffer|Bun|process)\./g],
  [
    "has nothing that sends or receives",
    /\b(?:fetch|XMLHttpRequest|WebSocket|EventSource|WebTransport|RTCPeerConnection|sendBeacon|importScripts|Worker)\b/g,
  ],
  ["stores nothing", /\b(?:localStorage|sessionStorage|indexedDB|cookie|postMessage)\b/g],
  ["makes no code and no markup", /\beval\(|\bnew Function\b|innerHTML|outerHTML|insertAdjacentHTML|document\.write/g],
  // A page on a plain-HTTP network has no WebCrypto.
  ["uses no WebCrypto", /\bsubtle\b|\bimportKey\b|\bgetRandomValues\b|\b(?:globalThis|window|self)\.crypto\b/g],
  ["needs no line end but the line feed", /\r/g],
])("it %s", (_, pattern) => {
  expect(places(pattern)).toEqual([])
})

test("it names no path of the machine that built it", () => {
  expect(script.includes(import.meta.dir.split("/").slice(0, 3).join("/"))).toBe(false)
})

test(`it has at most ${SIZE_MAX} bytes`, () => {
  expect(Buffer.byteLength(script)).toBeLessThan(SIZE_MAX)
  expect(script.length).toBeGreaterThan(50_000)
})

test("it knows every version of every policy, and holds each row of them once", () => {
  const checksums = (forms: readonly { readonly policies: readonly Parameters<typeof policyChecksum>[0][] }[]) =>
    forms.flatMap(({ policies }) => policies.map(policyChecksum)).sort()
  expect(checksums(KNOWN.answers)).toEqual(checksums(ANSWER_RULES))
  expect(script.split("A required source changed its form").length).toBe(2)
})

test("a text that would end the script element is escaped, with the same meaning", () => {
  const source = 'x = ["</script>", "</SCRIPT", "<!-- a", `</script`, /<\\/script/.test("</script")]'
  const escaped = inScriptElement(source)
  expect(escaped).not.toMatch(/<\/script|<!--/i)
  const meaning = (text: string) => new Function(`let x; ${text}; return x`)()
  expect(meaning(escaped)).toEqual(meaning(source))
})
