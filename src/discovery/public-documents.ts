import type { Operation } from "../../schemas/operation.ts"
import { isTemplate } from "./links.ts"
import { soldOperations } from "./sold.ts"

/** The served documents that a caller may read without knowing anything. Schema and example of a product are named by its own row. */
export function publicDocuments(operations: readonly Operation[]): readonly Operation[] {
  const ofProducts = soldOperations(operations).map(({ path }) => `${path}/`)
  return operations.filter(
    ({ method, path, rateLimit, responses }) =>
      method === "GET" &&
      responses[200] !== undefined &&
      rateLimit.group === "discovery" &&
      !isTemplate(path) &&
      !ofProducts.some((prefix) => path.startsWith(prefix)),
  )
}
