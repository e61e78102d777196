/** Writes every page of `docs/reference/`. A test of `check` compares the pages with this output. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { REFERENCE } from "./docs/reference.ts"

const folder = join(import.meta.dir, "..", "docs", "reference")
mkdirSync(folder, { recursive: true })
for (const [name, print] of Object.entries(REFERENCE)) {
  writeFileSync(join(folder, name), await print())
  console.log(`docs/reference/${name}`)
}
