import type { CoverageLine } from "../../schemas/discovery/document-members.ts"
import type { SoldOperation } from "./sold.ts"

/** Groups the products by jurisdiction and coverage, in the order of the rows. */
export function coverageLines(sold: readonly SoldOperation[]): CoverageLine[] {
  const lines = new Map<string, CoverageLine>()
  for (const { product } of sold) {
    const { jurisdiction, coverage } = product
    const line = lines.get(`${jurisdiction} ${coverage}`)
    if (line) line.product_ids.push(product.id)
    else lines.set(`${jurisdiction} ${coverage}`, { jurisdiction, coverage, product_ids: [product.id] })
  }
  return [...lines.values()]
}
