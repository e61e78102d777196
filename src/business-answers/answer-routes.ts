/** All routes of the eight products: one to buy each product, and the routes that return a stored answer again. */
import { Elysia } from "elysia"
import { getGbExecution, getGbExecutionProof, getUsExecution, getUsExecutionProof } from "../../schemas/executions.ts"
import { type AnswerRouteDeps, type AnswerSlice, answerRoute } from "./answer-route.ts"
import { executionRoutes } from "./executions.ts"

const EXECUTIONS = {
  US: { answer: getUsExecution, proof: getUsExecutionProof },
  GB: { answer: getGbExecution, proof: getGbExecutionProof },
} as const

export function answerRoutes(deps: AnswerRouteDeps, slices: readonly AnswerSlice[], country: "GB" | "US") {
  const own = slices.filter(({ product }) => product.country === country)
  const app = new Elysia({ normalize: false })
  for (const slice of own) app.use(answerRoute(deps, slice))
  const products = new Set(own.map(({ product }) => product.id))
  return app.use(executionRoutes({ shell: deps.shell, store: deps.delivery.store, products }, EXECUTIONS[country]))
}
