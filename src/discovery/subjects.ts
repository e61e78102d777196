import type { Operation } from "../../schemas/operation.ts"
import { soldOperations } from "./sold.ts"

/** A commercial solution, a product outside the solutions, or Agent ID: the rows that belong together. */
export interface Subject {
  /** Id of the solution or product. */
  readonly id: string
  readonly name: string
  /** Its paid rows, or for a free product its rows with an intent. Never empty. */
  readonly rows: readonly Operation[]
}

/** Groups the served rows, ordered by path of the first row. */
export function subjects(operations: readonly Operation[]): Subject[] {
  const sold = soldOperations(operations)
  const paid = new Set(sold.map(({ product }) => subjectId(product)))
  const own = operations.filter(({ intent, partOf }) => intent && partOf && !paid.has(subjectId(partOf)))
  const groups = new Map<string, Operation[]>()
  for (const row of [...own, ...sold]) {
    const product = row.product ?? row.partOf
    if (!product) continue
    const id = subjectId(product)
    groups.set(id, [...(groups.get(id) ?? []), row])
  }
  return [...groups].map(([id, rows]) => ({ id, name: nameOf(id, rows), rows }))
}

function subjectId({ id, solution }: { readonly id: string; readonly solution: string | null }): string {
  return solution ?? id
}

/** A solution id is its name in words. A product outside the solutions is named by its need, because its id has dots. */
function nameOf(id: string, [first]: readonly Operation[]): string {
  if (!id.includes(".")) return sentence(id)
  const jurisdiction = first?.product?.jurisdiction
  return `${sentence(first?.intent?.name ?? id)}${jurisdiction ? ` (${jurisdiction})` : ""}`
}

/** Turns `COMPANY-CHECK`, `company-check` or `company_check` into `Company check`. */
function sentence(code: string): string {
  const words = code.toLowerCase().split(/[-_]/).join(" ")
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(/\bid\b/gi, "ID")
}
