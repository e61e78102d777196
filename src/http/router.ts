import { Elysia } from "elysia"
import { type FallbackOptions, fallback } from "./fallback.ts"
import type { Route } from "./route.ts"
import type { Shell } from "./shell.ts"

/**
 * Makes one Elysia app of all routes. An app for each route, joined with `use`, would cost several milliseconds of every start. `options`:
 * how requests without a route are answered.
 */
export function router(shell: Shell, routes: readonly Route[], options?: FallbackOptions) {
  const app = new Elysia({ normalize: false, strictPath: true, handler: { standardHostname: false } })
  // First, because Elysia's onError covers only routes that are registered after it.
  app.onError(fallback(shell, () => app.routes, options))
  for (const { operation, reply } of routes) {
    const { method, path, body, id, cors, otherMethods } = operation
    app.route(
      method,
      path.replace(/\{([A-Za-z]+)\}/g, ":$1"),
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
