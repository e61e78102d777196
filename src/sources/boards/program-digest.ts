/**
 * Identifies the code and the machine that made a saved index. Another program may split names into other words, and another Bun version
 * may fold letters with other Unicode tables. Neither reads the index of the other.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { digestOf } from "../../core/digest.ts"

/** Set by scripts/build.ts; absent when run from source. */
declare const BUILD_INDEX_SOURCES: string | undefined

let known: string | undefined

export function programDigest(): string {
  known ??= digestOf({
    sources: typeof BUILD_INDEX_SOURCES === "string" ? BUILD_INDEX_SOURCES : indexSources(join(import.meta.dir, "..")),
    bun: Bun.version,
    machine: `${process.platform}-${process.arch}`,
  })
  return known
}

/** Returns the digest of every TypeScript file in the folder `src/sources` and below it. */
export function indexSources(folder: string): string {
  const names = [...new Bun.Glob("**/*.ts").scanSync({ cwd: folder })].sort()
  return digestOf(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]))
}
