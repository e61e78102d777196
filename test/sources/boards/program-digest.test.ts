import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { indexSources, programDigest } from "../../../src/sources/boards/program-digest.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { ROOT } from "../../fixtures/imports.ts"

test("the digest of the sources depends only on the names and contents of source files, in sub-folders too", () => {
  using fresh = freshDirectory()
  mkdirSync(join(fresh.path, "deep"))
  const write = (name: string, text: string) => writeFileSync(join(fresh.path, name), text)
  write("b.ts", "1")
  write("deep/a.ts", "2")
  const first = indexSources(fresh.path)
  write("notes.md", "3")
  expect(indexSources(fresh.path)).toBe(first)
  write("deep/a.ts", "4")
  const second = indexSources(fresh.path)
  write("deep/a.ts", "2")
  expect(indexSources(fresh.path)).toBe(first)
  write("c.ts", "")
  expect(new Set([first, second, indexSources(fresh.path)]).size).toBe(3)
})

test("a program that runs from source is identified by the digest of its sources, the same at every call", () => {
  expect(indexSources(join(ROOT, "src", "sources"))).toStartWith("sha256:")
  expect(programDigest()).toBe(programDigest())
})
