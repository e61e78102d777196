import { expect, test } from "bun:test"
import fc from "fast-check"
import { type Packed, RecordShapes } from "../../../src/sources/import/record-shapes.ts"
import type { RecordValue } from "../../../src/sources/records/register-adapter.ts"

test("any record is read back unchanged, through JSON and with shapes read back from JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
      const shapes = new RecordShapes()
      const packed = JSON.parse(JSON.stringify(shapes.pack(value as RecordValue))) as Packed
      const again = new RecordShapes(JSON.parse(JSON.stringify(shapes.list())) as string[][])
      expect(JSON.stringify(again.unpack(packed))).toBe(JSON.stringify(value))
    }),
    { examples: [[[{ "": {} }, { "": { "": null } }]]] },
  )
})

test("records of one shape store its names once", () => {
  const shapes = new RecordShapes()
  expect(shapes.pack({ name: "A", at: { x: 1 } })).toEqual([0, "A", [1, 1]])
  expect(shapes.pack({ name: "B", at: { x: 2 } })).toEqual([0, "B", [1, 2]])
  expect(shapes.list()).toEqual([["name", "at"], ["x"]])
})

test("a record that was not packed with these shapes is refused", () => {
  const shapes = new RecordShapes([["name"]])
  for (const packed of [[1, "A"], [0], [0, "A", "B"], ["name", "A"]] as Packed[]) {
    expect(() => shapes.unpack(packed)).toThrow(TypeError)
  }
})

test("member names that are data do not create shapes without end", () => {
  const shapes = new RecordShapes()
  expect(() => {
    for (let number = 0; number < 300; number++) shapes.pack({ [`name ${number}`]: 1 })
  }).toThrow("more than 256 shapes")
})
