import { operationTable } from "../../src/catalogue/operations.ts"
import { BASE_URL } from "../fixtures/service.ts"
import { post } from "./two-services.ts"

/**
 * What a stranger may ask of each agent-mode route, by the route as the router names it: the example of the documents, then the same with
 * the key id of another agent.
 */
export function agentModeQuestions(keyId: string): Readonly<Record<string, readonly (() => Request)[]>> {
  const rows = operationTable([]).filter(({ path }) => path.startsWith("/v1/agent-mode/"))
  return Object.fromEntries(
    rows.map(({ method, path, exampleBody }) => {
      const sent = path.replace(/\{[A-Za-z]+\}/g, "consent-2026-1")
      const bodies = exampleBody === undefined ? [] : [exampleBody, { ...exampleBody, key_id: keyId }]
      const asks = bodies.map((body) => () => post(sent, body))
      return [
        `${method} ${path.replace(/\{([A-Za-z]+)\}/g, ":$1")}`,
        method === "GET" ? [() => new Request(BASE_URL + sent)] : asks,
      ]
    }),
  )
}
