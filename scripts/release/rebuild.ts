/** Makes a published release again from its source archive, and compares each file. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sameBytes } from "../../src/core/bytes.ts"
import { readPublicKey } from "../../src/release/minisign.ts"
import { readSums } from "../../src/release/sums.ts"
import { makeRelease, sourceName } from "./make-release.ts"
import type { Provenance } from "./provenance.ts"
import { readSource } from "./source.ts"
import { TARGETS } from "./targets.ts"

interface RebuildOrder {
  /** Folder of the published release. */
  readonly folder: string
  readonly runtimes: string
  readonly print: (line: string) => void
}

/** Returns the names of the files that differ or are missing. Throws if the release names no file. */
export async function rebuild({ folder, runtimes, print }: RebuildOrder): Promise<string[]> {
  const published = (name: string) => readFileSync(join(folder, name))
  const { version, release_key, targets }: Provenance = JSON.parse(published("provenance.json").toString())
  const sums = readSums(published("SHA256SUMS").toString())
  if (sums === null) throw new Error(`${folder}/SHA256SUMS is no list of SHA-256 sums`)
  const scratch = mkdtempSync(join(tmpdir(), "bizauth-rebuild-"))
  try {
    const out = join(scratch, "release")
    await makeRelease({
      version,
      source: readSource(published(sourceName(version))),
      releaseKey: release_key === null ? null : readPublicKey(release_key),
      targets: TARGETS.filter(({ name }) => targets.includes(name)),
      out,
      runtimes,
      print: () => {},
    })
    const names = [...sums.keys(), "SHA256SUMS"]
    const differing = names.filter((name) => !isEqual(join(folder, name), join(out, name)))
    for (const name of names) print(`${differing.includes(name) ? "DIFFERS" : "equal  "} ${name}`)
    return differing
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function isEqual(path: string, rebuilt: string): boolean {
  return existsSync(path) && existsSync(rebuilt) && sameBytes(readFileSync(path), readFileSync(rebuilt))
}
