import type { Capabilities } from "../../schemas/discovery/capabilities.ts"
import type { SoldOperation } from "./sold.ts"

/** The commercial solutions that the products name, each with its operations, in the order of the rows. */
export function commercialSolutions(sold: readonly SoldOperation[]): Capabilities["solutions"] {
  const solutions = new Map<string, Capabilities["solutions"][number]>()
  for (const { id, product } of sold) {
    if (product.solution === null) continue
    const solution = solutions.get(product.solution)
    if (solution) {
      solution.operation_ids.push(id)
      solution.product_ids.push(product.id)
    } else {
      solutions.set(product.solution, {
        solution_id: product.solution,
        operation_ids: [id],
        product_ids: [product.id],
      })
    }
  }
  return [...solutions.values()]
}
