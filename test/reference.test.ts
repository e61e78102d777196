/** The pages of `docs/reference/` are what `bun run docs` prints. */
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { choices } from "../scripts/docs/choices-page.ts"
import { REFERENCE } from "../scripts/docs/reference.ts"
import { ROOT, sourceText } from "./fixtures/imports.ts"

// The page of products sells each product. On a busy machine that takes more than five seconds.
setDefaultTimeout(30_000)

test.each(Object.entries(REFERENCE))(
  "docs/reference/%s equals the output of `bun run docs`; run it to print the page again",
  async (name, print) => {
    expect(sourceText(`docs/reference/${name}`)).toBe(await print())
  },
)

test("docs/reference/ contains only printed pages", () => {
  expect(readdirSync(join(ROOT, "docs", "reference")).toSorted()).toEqual(Object.keys(REFERENCE).toSorted())
})

describe("the reader of CHOICE comments", () => {
  test("takes a line comment to its last line", () => {
    expect(choices("  // CHOICE: one\n  // two.\n  const x = 1\n")).toEqual(["one two."])
  })
  test("takes the rest of a block comment, and every choice of it", () => {
    expect(choices("/**\n * Says more. CHOICE: one\n * two. CHOICE: three.\n */")).toEqual(["one two.", "three."])
  })
  test("finds nothing in code", () => {
    expect(choices('const text = "CHOICE: no"\n')).toEqual([])
  })
})
