import { Elysia } from "elysia"
import type { Operation } from "../../schemas/operation.ts"
import { type FallbackOptions, fallback } from "./fallback.ts"
import { matchesPath, yieldsTo } from "./path-templates.ts"
import type { Route } from "./route.ts"
import type { Shell } from "./shell.ts"

/**
 * Makes one Elysia app of all routes. An app for each route, joined with `use`, would cost several milliseconds of every start. `options`:
 * how requests without a route are answered.
 */
export function router(shell: Shell, routes: readonly Route[], options?: FallbackOptions) {
  const app = new Elysia({ normalize: false, strictPath: true, handler: { standardHostname: false } })
  const failed = fallback(shell, () => app.routes, options)
  // First, because Elysia's onError covers only routes that are registered after it.
  app.onError(failed)
  const templates = [...new Set(routes.map(({ operation }) => templateOf(operation)))]
  for (const route of routes) {
    const { method, body, id, cors, otherMethods } = route.operation
    const path = templateOf(route.operation)
    const literal = yieldsTo(path, templates)
    const reply = literal.length === 0 ? route.reply : literalFirst(route, literal, failed)
    app.route(
      method,
      path,
      // Bound, so that Elysia cannot read its source text. Elysia would otherwise wrap replies in promises and contexts in getters,
      // depending on that text.
      reply.bind(null),
      {
        ...(body && { parse: "none" as const }),
        detail: { operationId: id, tags: [`cors:${cors}`], ...(otherMethods && { description: otherMethods }) },
      },
    )
  }
  return app
}

const templateOf = ({ path }: Operation) => path.replace(/\{([A-Za-z]+)\}/g, ":$1")

/** Answers a path of a more literal template as one that lacks this method. */
function literalFirst(
  { reply }: Route,
  literal: readonly string[],
  failed: ReturnType<typeof fallback>,
): Route["reply"] {
  return (arrived) => {
    const { path, request } = arrived
    if (!literal.some((template) => matchesPath(template, path))) return reply(arrived)
    return failed({ code: "NOT_FOUND", error: null, request })
  }
}
