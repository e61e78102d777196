import { expect, test } from "bun:test"
import { nearest } from "../../src/core/nearest.ts"

test.each([
  ["serv", "serve"],
  ["verfy", "verify"],
  ["swerve", "serve"],
  ["exprot", "export"],
  ["serve", "serve"],
])("%s is read as %s", (typed, known) => {
  expect(nearest(typed, ["serve", "verify", "export", "import"])).toBe(known)
})

test("of two equally near words the first wins", () => {
  expect(nearest("xxport", ["export", "import"])).toBe("export")
  expect(nearest("mxport", ["import", "export"])).toBe("export")
  expect(nearest("port", ["import", "export"])).toBe("import")
})

test("without known words there is no nearest word", () => {
  expect(nearest("serve", [])).toBe("")
})
