import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { capsuleOf, containsCapsule } from "../../../src/core/capsule/capsule-in-body.ts"

const values = fc.jsonValue({ noUnpairedSurrogate: true } as never)

describe("a capsule that is a member of its body", () => {
  test("is taken out of the body with its own bytes, whatever it contains", () => {
    fc.assert(
      fc.property(values, fc.dictionary(fc.string({ unit: "grapheme" }), values), (capsule, others) => {
        const capsuleJson = canonicalize(capsule)
        const body = canonicalize({ ...others, proof_capsule: capsule })
        expect(containsCapsule(body, capsuleJson)).toBe(true)
        expect(capsuleOf({ body, capsuleJson: "" })).toBe(capsuleJson)
      }),
    )
  })
})

describe("a capsule that is not a member of its body", () => {
  test.each([
    ["another member is equal", { capsule: { a: 1 } }],
    ["the member differs", { proof_capsule: { a: 2 } }],
    ["the member has more", { proof_capsule: { a: 1, b: 2 } }],
    ["a text shows it", { note: '"proof_capsule":{"a":1}' }],
  ])("%s", (_, body) => {
    expect(containsCapsule(canonicalize(body), '{"a":1}')).toBe(false)
  })

  test("is that of the row", () => {
    expect(capsuleOf({ body: '{"proof_capsule":{"a":2}}', capsuleJson: '{"a":1}' })).toBe('{"a":1}')
  })
})
