import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Shown } from "./compare.ts"

/** Files that are promises: migrations, stored deliveries, and the pages that the code prints about what it does. */
const PROMISES = ["db/migrations/**", "test/corpus/*-build/**", "docs/reference/*.md", "docs/alerts.yml"]
/** These two pages describe the source, not what it does. */
const ABOUT_THE_SOURCE = ["docs/reference/layers.md", "docs/reference/choices.md"]

/** A printed page may say which source file a value is from. */
const SOURCE_FILE = /\bsrc\/[a-z0-9/-]+\.ts\b/g

export function promisedFiles(tree: string): Shown {
  const paths = PROMISES.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(tree)])
  return new Map(
    paths
      .filter((path) => !ABOUT_THE_SOURCE.includes(path))
      .sort()
      .map((path) => [path, readFileSync(join(tree, path), "utf8").replace(SOURCE_FILE, "SOURCE")]),
  )
}
