/** All routes of the products of one country: those of each product, and those that return a stored answer again. */
import {
  getGbExecution,
  getGbExecutionProof,
  getGbExecutionReview,
  getUsExecution,
  getUsExecutionProof,
  getUsExecutionReview,
} from "../../../schemas/executions.ts"
import type { Route } from "../../http/route.ts"
import { executionRoutes } from "./executions.ts"
import { type ProductRouteDeps, type ProductSlice, productRoutes } from "./product-route.ts"

const EXECUTIONS = {
  US: { answer: getUsExecution, proof: getUsExecutionProof, review: getUsExecutionReview },
  GB: { answer: getGbExecution, proof: getGbExecutionProof, review: getGbExecutionReview },
} as const

/** Returns the products whose answers are read by their execution id. An answer with a recovery of its own is read only there. */
export function readByExecution(slices: readonly ProductSlice[]): readonly ProductSlice[] {
  return slices.filter(({ recovery }) => !recovery)
}

export function countryRoutes(
  deps: ProductRouteDeps,
  slices: readonly ProductSlice[],
  country: "GB" | "US",
): readonly Route[] {
  const { shell, delivery, reviewOf } = deps
  const own = slices.filter(({ product }) => product.country === country)
  const products = new Set(readByExecution(own).map(({ product }) => product.id))
  return [
    ...own.flatMap((slice) => productRoutes(deps, slice)),
    ...executionRoutes({ shell, store: delivery.store, products, reviewOf }, EXECUTIONS[country]),
  ]
}
