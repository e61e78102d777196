import { join } from "node:path"
import { Glob } from "bun"
import type { Operation } from "../../schemas/operation.ts"
import { code, page, table } from "./markdown.ts"

const ROOT = join(import.meta.dir, "..", "..")

/** Every operation of the HTTP interface, ordered by path. */
export async function routesPage(): Promise<string> {
  const rows = (await operations()).map(({ id, method, path, authentication, price, rateLimit, summary }) => [
    code(`${method} ${path}`),
    code(id),
    authentication,
    price && price.amount !== "0" ? `${price.amount} ${price.asset}` : "free",
    `${rateLimit.perMinute}, ${rateLimit.group}`,
    summary,
  ])
  const head = ["route", "operation", "authentication", "price", "a minute, shared by", "what it does"]
  return page("HTTP routes", table(head, rows))
}

/** Returns the operations that the modules of `schemas/` export. */
async function operations(): Promise<Operation[]> {
  const found: Operation[] = []
  for (const path of [...new Glob("schemas/**/*.ts").scanSync({ cwd: ROOT })].toSorted()) {
    const module = (await import(join(ROOT, path))) as Record<string, unknown>
    found.push(...Object.values(module).filter(isOperation))
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

function isOperation(value: unknown): value is Operation {
  return typeof value === "object" && value !== null && "id" in value && "responses" in value && "rateLimit" in value
}
