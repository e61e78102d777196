import { Elysia } from "elysia"
import { canonicalize } from "../core/canonical-json.ts"
import { heldDocument, heldOnFirstRequest } from "../http/conditional.ts"
import { serve } from "../http/serve.ts"
import type { Shell } from "../http/shell.ts"
import type { DiscoveryParts, DocumentRow } from "./parts.ts"

/** Serves documents that are printed once, at the first request. */
export function heldDocumentRoutes(shell: Shell, rows: readonly DocumentRow[], parts: () => DiscoveryParts) {
  const app = new Elysia({ normalize: false })
  for (const { operation, print } of rows) {
    const held = heldOnFirstRequest(() => {
      const printed = print(parts())
      return heldDocument(typeof printed === "string" ? printed : canonicalize(printed), {
        "content-type": operation.responses[200]?.mediaType ?? "application/json",
        "cache-control": "public, max-age=300",
      })
    })
    app.use(serve(shell, operation, ({ headers }) => held(headers)))
  }
  return app
}
