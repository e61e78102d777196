import { join } from "node:path"
import { Glob } from "bun"
import type { Operation } from "../../schemas/operation.ts"

const ROOT = join(import.meta.dir, "..", "..")

/** Returns the operations that the modules of `schemas/` export, alone or in a list, ordered by path. */
export async function operations(): Promise<Operation[]> {
  const found: Operation[] = []
  for (const path of [...new Glob("schemas/**/*.ts").scanSync({ cwd: ROOT })].toSorted()) {
    const module = (await import(join(ROOT, path))) as Record<string, unknown>
    found.push(...Object.values(module).flat().filter(isOperation))
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

function isOperation(value: unknown): value is Operation {
  return typeof value === "object" && value !== null && "id" in value && "responses" in value && "rateLimit" in value
}
