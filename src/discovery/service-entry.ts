/** `GET /` and the redirect of `/openapi.json`. */
import { readServiceEntry, redirectToOpenapi, type ServiceEntry } from "../../schemas/discovery/entry.ts"
import type { Operation } from "../../schemas/operation.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { heldDocument, heldOnFirstRequest } from "../http/conditional.ts"
import { serve } from "../http/serve.ts"
import type { Shell } from "../http/shell.ts"
import { linkHeader, servedLinks } from "./entry-links.ts"
import type { DiscoveryParts } from "./parts.ts"

/** `operations` is called on first use, when every route is registered. */
export function serviceEntryRoutes(shell: Shell, issuerName: string, operations: () => readonly Operation[]) {
  const entry = heldOnFirstRequest(() => {
    const parts = { baseUrl: shell.baseUrl(), issuerName, operations: operations() }
    const link = linkHeader(parts.operations)
    return heldDocument(canonicalize(serviceEntry(parts)), {
      "content-type": "application/json",
      "cache-control": "public, max-age=300",
      ...(link !== "" && { link }),
    })
  })
  const redirect = {
    status: 308,
    body: null,
    headers: Object.freeze({ location: "/v1/openapi.json", "cache-control": "public, max-age=300" }),
  }
  return [
    serve(shell, readServiceEntry, ({ headers }) => entry(headers)),
    serve(shell, redirectToOpenapi, () => redirect),
  ]
}

export function serviceEntry({
  baseUrl,
  issuerName,
  operations,
}: Pick<DiscoveryParts, "baseUrl" | "issuerName" | "operations">): ServiceEntry {
  return {
    schema_version: "1.0.0",
    service: issuerName,
    links: servedLinks(operations).map(({ path, rel, title, method, mediaType }) => ({
      rel,
      title,
      method,
      uri: baseUrl + path,
      media_type: mediaType,
    })),
  }
}
