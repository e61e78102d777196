/** `GET /` and the redirect of `/openapi.json`. */
import { readServiceEntry, redirectToOpenapi, type ServiceEntry } from "../../schemas/discovery/entry.ts"
import type { Operation } from "../../schemas/operation.ts"
import { canonicalize } from "../core/canonical-json.ts"
import type { Reply } from "../http/call.ts"
import { heldDocument, heldOnFirstRequest } from "../http/conditional.ts"
import { serve } from "../http/serve.ts"
import type { Shell } from "../http/shell.ts"
import { linkHeader, servedLinks } from "./entry-links.ts"
import type { DocumentParts } from "./parts.ts"

interface ServiceEntryDeps {
  readonly shell: Shell
  readonly issuerName: string
  /** Called on first use, when every route is registered. */
  readonly operations: () => readonly Operation[]
  /** Returns the page for a browser, or null for a machine. */
  readonly page: (headers: Headers) => Reply | null
}

export function serviceEntryRoutes({ shell, issuerName, operations, page }: ServiceEntryDeps) {
  const entry = heldOnFirstRequest(() => {
    const parts = { baseUrl: shell.baseUrl(), issuerName, operations: operations() }
    const link = linkHeader(parts.operations)
    return heldDocument(canonicalize(serviceEntry(parts)), {
      "content-type": "application/json",
      "cache-control": "public, max-age=300",
      vary: "Accept",
      ...(link !== "" && { link }),
    })
  })
  const redirect = {
    status: 308,
    body: null,
    headers: Object.freeze({ location: "/v1/openapi.json", "cache-control": "public, max-age=300" }),
  }
  return [
    serve(shell, readServiceEntry, ({ headers }) => page(headers) ?? entry(headers)),
    serve(shell, redirectToOpenapi, () => redirect),
  ]
}

export function serviceEntry({
  baseUrl,
  issuerName,
  operations,
}: Pick<DocumentParts, "baseUrl" | "issuerName" | "operations">): ServiceEntry {
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
