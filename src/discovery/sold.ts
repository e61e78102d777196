import type { Operation, SoldProduct } from "../../schemas/operation.ts"

/** A row that sells a product. */
export type SoldOperation = Operation & {
  readonly product: SoldProduct
  readonly price: { amount: string; asset: string }
}

/** The paid rows among the served ones, in their order. */
export function soldOperations(operations: readonly Operation[]): SoldOperation[] {
  return operations.filter((row): row is SoldOperation => row.product !== undefined && row.price !== null)
}
