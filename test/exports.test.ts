/** What a file exports, another file imports (docs/contribute.md, "Form"): the reader of an `export` knows that it has a user elsewhere. */
import { expect, test } from "bun:test"
import { exportedNames, importedNames, sourceFiles } from "./fixtures/imports.ts"

/** `file: name`, with the reason why the export has no user in the repository. */
const WITHOUT_USER: Readonly<Record<string, string>> = {
  "src/agent/module/schema-of.ts: schemaOf": "the bundler writes its import into the modules of the client",
}

test("every export of a file is imported by another file", () => {
  const used = new Map<string, Set<string>>()
  for (const path of sourceFiles("src", "schemas", "db", "scripts", "test")) {
    for (const { to, name } of importedNames(path)) used.set(to, (used.get(to) ?? new Set()).add(name))
  }
  const unused = sourceFiles("src", "schemas", "db", "scripts").flatMap((path) => {
    const names = used.get(path)
    return names?.has("*")
      ? []
      : exportedNames(path)
          .filter((name) => !names?.has(name))
          .map((name) => `${path}: ${name}`)
  })
  expect(unused).toEqual(Object.keys(WITHOUT_USER))
})

test("the reader finds names in every form of import: a test of the test above", () => {
  expect(exportedNames("src/core/canonical-json.ts")).toContain("canonicalize")
  expect(importedNames("src/cli/serve.ts").length).toBeGreaterThan(5)
  expect(importedNames("test/exports.test.ts")).toContainEqual({ to: "test/fixtures/imports.ts", name: "sourceFiles" })
})
