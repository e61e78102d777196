import { expect, test } from "bun:test"
import { nearest } from "../../src/core/nearest.ts"

test.each([
  ["serv", "serve"],
  ["verfy", "verify"],
  ["swerve", "serve"],
  ["exprot", "export"],
  ["serve", "serve"],
])("%s is taken for %s", (typed, known) => {
  expect(nearest(typed, ["serve", "verify", "export", "import"])).toBe(known)
})

test("a tie goes to the first", () => {
  expect(nearest("xxport", ["export", "import"])).toBe("export")
  expect(nearest("mxport", ["import", "export"])).toBe("export")
  expect(nearest("port", ["import", "export"])).toBe("import")
})

test("without known words there is nothing near", () => {
  expect(nearest("serve", [])).toBe("")
})
