/**
 * `bun scripts/make-corpus.ts BUILD` sells every case of `scripts/corpus/sell-all.ts` in this process, with a real EVM node on loopback and
 * a real database file. It writes the deliveries to `test/corpus/BUILD`, with the imported lists that they were screened against. All parties
 * are invented and all keys are test keys.
 *
 * A corpus shows what one build delivered, so it is made once: the program refuses an existing folder. A later build that delivers other
 * documents adds a folder under its own name. If a case has another answer than expected, the program ends before it writes anything.
 */
import { existsSync } from "node:fs"
import { join, relative } from "node:path"

const ROOT = join(import.meta.dir, "..")
const [build = "", ...rest] = process.argv.slice(2)

function fail(why: string): never {
  console.error(why)
  process.exit(2)
}

if (!/^[a-z0-9]+-build$/.test(build) || rest.length > 0) {
  fail("usage: bun scripts/make-corpus.ts BUILD, where BUILD is a name such as fourth-build")
}
const folder = join(ROOT, "test/corpus", build)
const shown = relative(ROOT, folder)
if (existsSync(folder)) fail(`${shown} exists. A corpus is never made again; name the new build.`)

const { sellAll } = await import("./corpus/sell-all.ts")
const { writeBuild } = await import("./corpus/write-build.ts")
const sold = await sellAll((line) => console.log(line))
const { files, bytes } = writeBuild(folder, build, sold)
console.log(`${sold.cases.length} cases, ${files} files, ${bytes} bytes in ${shown}`)
