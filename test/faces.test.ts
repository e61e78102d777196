/** The table of faces in scripts/faces.ts: which files of a folder code outside it may import. */
import { expect, test } from "bun:test"
import { basename, dirname } from "node:path"
import { FACES } from "../scripts/faces.ts"
import { importsOf, sourceFiles } from "./fixtures/imports.ts"

const imports = sourceFiles("src").flatMap(importsOf)
const folders = ["store", "sources", "products"].flatMap((top) => [
  ...new Set(
    sourceFiles(`src/${top}`)
      .map(dirname)
      .filter((folder) => folder !== `src/${top}`),
  ),
])

function filesOf(folder: string): readonly string[] {
  return sourceFiles(folder).filter((path) => dirname(path) === folder)
}

/** The files of a folder that code outside it imports, by name. */
function importedFrom(folder: string): readonly string[] {
  const outside = new Set(imports.filter(({ from }) => !from.startsWith(`${folder}/`)).map(({ to }) => to))
  return filesOf(folder)
    .filter((path) => outside.has(path))
    .map((path) => basename(path, ".ts"))
}

test("code outside a folder imports exactly the files of its face", () => {
  const hiding = folders.filter((folder) => importedFrom(folder).length < filesOf(folder).length)
  const found = Object.fromEntries(hiding.map((folder) => [folder.slice("src/".length), importedFrom(folder)]))
  expect(hiding.length).toBeGreaterThan(20)
  expect(found).toEqual(FACES)
})
