import { join } from "node:path"
import { PLAIN_ENVIRONMENT } from "../plain-environment.ts"
import type { Shown } from "./compare.ts"

/**
 * Prints every operation that the schemas of a checkout export, alone or in a list, one JSON text a line. A process of its own, so that each
 * checkout loads its own.
 */
const PRINTER = `
  const found = new Map()
  for (const path of new Bun.Glob("schemas/**/*.ts").scanSync(".")) {
    for (const value of Object.values(await import(process.cwd() + "/" + path)).flat()) {
      if (value && typeof value === "object" && "id" in value && "method" in value && "path" in value) found.set(value.id, value)
    }
  }
  for (const [id, value] of found) console.log(JSON.stringify([id, value]))
`

/** Every operation with its schemas, as JSON by its id. */
export async function operationsOf(tree: string): Promise<Shown> {
  const child = Bun.spawn([process.execPath, "-e", PRINTER], {
    cwd: join(tree),
    env: PLAIN_ENVIRONMENT,
    stderr: "inherit",
  })
  const text = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`the operations of ${tree} were not printed`)
  return new Map(
    text
      .trim()
      .split("\n")
      .map((line) => {
        const [id, operation] = JSON.parse(line) as [string, unknown]
        return [id, JSON.stringify(operation, null, 1)]
      }),
  )
}
