/** The parts of a Postman collection: variables, scripts and requests that are printed from operation rows. */
import type { PostmanCollection, PostmanRequest } from "../../../schemas/agent-id/postman.ts"
import type { Operation } from "../../../schemas/operation.ts"

export type PostmanVariable = PostmanCollection["variable"][number]

/** Postman keeps collection variables and newman exports environment variables. Both read the same values. */
export const KEEP = `const keep = (name, value) => { pm.collectionVariables.set(name, value); pm.environment.set(name, value) }`

export function variable(key: string, description: string, value = ""): PostmanVariable {
  return { key, value, type: "string", description }
}

export function script(listen: "prerequest" | "test", text: string) {
  return { listen, script: { type: "text/javascript" as const, exec: text.trim().split("\n") } }
}

interface Filled {
  /** The body as text, with `{{variables}}`. */
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly tests: string
}

/** `{agentId}` in a path becomes the variable `{{agent_id}}`. */
export function request(name: string, operation: Operation, { body, headers = {}, tests }: Filled): PostmanRequest {
  const path = operation.path.replace(
    /\{([A-Za-z]+)\}/g,
    (_, parameter: string) => `{{${parameter.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}}}`,
  )
  const fields = { ...(body !== undefined && { "Content-Type": "application/json" }), ...headers }
  return {
    name,
    event: [script("test", tests)],
    request: {
      method: operation.method,
      description: operation.summary,
      header: Object.entries(fields).map(([key, value]) => ({ key, value })),
      url: { raw: `{{base_url}}${path}`, host: ["{{base_url}}"], path: path.slice(1).split("/") },
      ...(body !== undefined && {
        body: { mode: "raw", raw: body, options: { raw: { language: "json" } } },
      }),
    },
    response: [],
  }
}

/** The script that expects the one success of the operation. */
export function successTest({ responses }: Operation): string {
  const status = Object.keys(responses).find((each) => each.startsWith("2"))
  return `pm.test("answered ${status}", () => pm.response.to.have.status(${status}))`
}
