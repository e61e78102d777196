/**
 * Compares what two builds show to the outside: operation table, promised files, words and exit codes of commands, verdicts over the stored
 * deliveries, and the public documents of a server that opens the data directory of the build before.
 *
 *   bun scripts/compare-outside.ts BEFORE AFTER
 *
 * BEFORE and AFTER are checkouts with a built `dist/bizauth`. Exit 0 if everything is equal, 3 if not.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { copyCorpus, offlineCommands, typedCommands } from "./outside/commands.ts"
import { compare, type Shown } from "./outside/compare.ts"
import { promisedFiles } from "./outside/files.ts"
import { operationsOf } from "./outside/operations.ts"
import { makeDirectory, servedDocuments } from "./outside/server.ts"
import { scratchParent } from "./scratch-parent.ts"

const [before, after] = process.argv.slice(2).map((folder) => resolve(folder))
if (before === undefined || after === undefined) {
  console.error("usage: bun scripts/compare-outside.ts BEFORE AFTER")
  process.exit(2)
}

const scratch = mkdtempSync(join(scratchParent(), "bizauth-outside-"))
const corpus = join(scratch, "corpus")

const PARTS: readonly [string, (tree: string, data: string) => Promise<Shown> | Shown][] = [
  ["operation table", operationsOf],
  ["promised files", promisedFiles],
  ["commands without data", typedCommands],
  ["stored deliveries", (tree) => offlineCommands(tree, corpus)],
  ["data directory of the build before", servedDocuments],
]

let different = 0
try {
  copyCorpus(join(before, "test", "corpus"), corpus)
  const data = await makeDirectory(before, scratch)
  for (const [name, showOf] of PARTS) {
    const { equal, differences } = compare(await showOf(before, data), await showOf(after, data))
    console.log(`${name}: ${equal} equal, ${differences.length} different`)
    for (const difference of differences) console.log(difference)
    different += differences.length
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.exit(different === 0 ? 0 : 3)
