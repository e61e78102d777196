/** Loads one file of the code under test with one mutation in it. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { SERVER_MUTANTS } from "./database/server-mutants.ts"
import type { Edit, Mutant } from "./mutant.ts"
import { MUTANTS } from "./mutants.ts"

const ALL = [...MUTANTS, ...SERVER_MUTANTS]
const ROOT = join(import.meta.dir, "../..")

/**
 * Later imports have this mutation and no other; without a name they have none. Throws for an unknown name, and when a text to replace is
 * not found exactly once: then the mutant must be rewritten.
 */
export function mutate(name: string | null): void {
  Bun.plugin.clearAll()
  if (name === null) return
  const mutant = ALL.find((one) => one.name === name)
  if (!mutant) throw new Error(`no mutant ${name}; there are ${ALL.map((one) => one.name).join(", ")}`)
  const contents = mutated(mutant)
  Bun.plugin({
    name: `mutant ${name}`,
    setup(build) {
      const filter = new RegExp(`${mutant.file.replaceAll(".", "\\.")}$`)
      const isText = mutant.file.endsWith(".sql")
      build.onLoad({ filter }, () =>
        isText ? { contents: `export default ${JSON.stringify(contents)}`, loader: "js" } : { contents, loader: "ts" },
      )
    },
  })
}

/** The text of the mutant's file with its edits. Throws when a text to replace is not found exactly once. */
export function mutated({ file, edits }: Mutant): string {
  return edits.reduce((text, edit) => edited(text, edit, file), readFileSync(join(ROOT, file), "utf8"))
}

export function edited(text: string, { from, to }: Edit, file: string): string {
  const parts = text.split(from)
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times, not once: ${from}`)
  return parts.join(to)
}
