import { expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { digestBytes, digestFiles, digestOf } from "../../src/core/digest.ts"
import { without } from "../../src/core/without.ts"

const sha256 = (text: string) => createHash("sha256").update(text, "utf8").digest("hex")
const file = (name: string, content: string) => ({ name, sha256: sha256(content) })

test("the digest of bytes is sha256: and lower-case hex (FIPS 180-4 example abc)", () => {
  const abc = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  expect(digestBytes("abc") as string).toBe(abc)
  expect(digestBytes(new TextEncoder().encode("abc")) as string).toBe(abc)
})

test("the digest of a value covers its canonical bytes, in whatever order the value was built", () => {
  expect(digestOf({ b: 1, a: "é" }) as string).toBe(`sha256:${sha256('{"a":"é","b":1}')}`)
  expect(digestOf({ a: "é", b: 1 })).toBe(digestOf({ b: 1, a: "é" }))
})

test("the digest of several files covers lines of hex, space, name and LF, sorted by name in UTF-8 order", () => {
  // In UTF-16 units 😀 (d83d) sorts before ﬁ (fb01); in UTF-8 it sorts after it.
  const files = [file("😀.csv", "4"), file("b.csv", "2"), file("B.csv", "1"), file("ﬁ.csv", "3")]
  const lines = ["1 B.csv", "2 b.csv", "3 ﬁ.csv", "4 😀.csv"].map((line) => {
    const [content = "", name] = line.split(" ")
    return `${sha256(content)} ${name}\n`
  })
  expect(digestFiles(files) as string).toBe(`sha256:${sha256(lines.join(""))}`)
  expect(digestFiles([...files].reverse())).toBe(digestFiles(files))
})

test("a single file keeps its own digest, whatever its name", () => {
  expect(digestFiles([file("a.csv", "x")])).toBe(digestBytes("x"))
})

test.each([
  ["no files", []],
  ["one name twice", [file("a", "1"), file("a", "2")]],
  ["a name that writes a second line", [file(`a\n${sha256("y")} b`, "1"), file("c", "2")]],
  ["an empty name", [file("", "1"), file("c", "2")]],
  ["upper-case hex", [{ name: "a", sha256: sha256("1").toUpperCase() }]],
  ["a digest with its prefix", [{ name: "a", sha256: `sha256:${sha256("1")}` }]],
])("digestFiles throws for %s", (_, files) => {
  expect(() => digestFiles(files)).toThrow(TypeError)
})

test("a member left out of a digest is removed only from the copy", () => {
  const whole = { a: 1, signature: "x", digest: "y" }
  expect(without(whole, "signature", "digest")).toEqual({ a: 1 })
  expect(whole).toEqual({ a: 1, signature: "x", digest: "y" })
})
