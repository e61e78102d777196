/**
 * The links from which everything else is found. A link is printed only while its route is served, so no document names a path that does
 * not exist.
 */
import type { Operation } from "../../schemas/operation.ts"

interface EntryLink {
  readonly path: string
  /** CHOICE: registered relations (RFC 8631, AI Catalog) for the first four; the others are words of this service. */
  readonly rel: string
  readonly title: string
  /** True if the `Link` header has it too. */
  readonly inHeader?: true
}

const ENTRY_LINKS: readonly EntryLink[] = [
  { path: "/v1/openapi.json", rel: "service-desc", title: "OpenAPI description of every route", inHeader: true },
  { path: "/llms.txt", rel: "service-doc", title: "What this service is, as text", inHeader: true },
  { path: "/readyz", rel: "status", title: "Whether the service can take work", inHeader: true },
  {
    path: "/.well-known/ai-catalog.json",
    rel: "ai-catalog",
    title: "Catalogue of the MCP, A2A and OpenAPI entries",
    inHeader: true,
  },
  { path: "/.well-known/agent-map.json", rel: "agent-map", title: "Journeys: which calls lead to which result" },
  {
    path: "/.well-known/svc-intents.json",
    rel: "intents",
    title: "Needs that a route meets, and needs that it does not",
  },
  {
    path: "/v1/agent/capabilities",
    rel: "capabilities",
    title: "Products, prices, coverage and what can be bought now",
  },
  { path: "/.well-known/svc-capabilities.json", rel: "capability-manifest", title: "Signed manifest of the documents" },
  { path: "/v1/agent/service-proof", rel: "service-proof", title: "Signed proof of who answers here now" },
  { path: "/v1/agent/signed-forms", rel: "signed-forms", title: "What each signature covers, with vectors" },
  { path: "/.well-known/jwks.json", rel: "jwks", title: "Public keys of this service" },
  { path: "/v1/agent/mcp", rel: "mcp", title: "MCP endpoint (POST)" },
  { path: "/.well-known/agent-card.json", rel: "agent-card", title: "A2A agent card" },
  { path: "/v1/agent-id/bootstrap", rel: "agent-id", title: "Free identity of an agent: how to enrol in two calls" },
  {
    path: "/v1/agent-id/postman-collection",
    rel: "postman-collection",
    title: "Importable requests (Postman 2.1) for every product",
  },
  {
    path: "/v1/agent/client.mjs",
    rel: "client-module",
    title: "Module that signs, buys and recovers: Node, Bun, Deno, browsers",
  },
  { path: "/v1/agent/client.d.ts", rel: "client-types", title: "Types and description of the client module" },
]

interface ServedLink extends EntryLink {
  readonly method: Operation["method"]
  readonly mediaType: string
}

/** The links whose route is served, in the order of the table. */
export function servedLinks(operations: readonly Operation[]): ServedLink[] {
  return ENTRY_LINKS.flatMap((link) => {
    const row = operations.find(({ path }) => path === link.path)
    if (row === undefined) return []
    return [{ ...link, method: row.method, mediaType: mediaTypeOf(row) }]
  })
}

/** `Link` header (RFC 8288) of the entry page and of 404 answers. Empty if none of its targets is served. */
export function linkHeader(operations: readonly Operation[]): string {
  return servedLinks(operations)
    .filter(({ inHeader }) => inHeader)
    .map(({ path, rel, mediaType }) => `<${path}>; rel="${rel}"; type="${mediaType}"`)
    .join(", ")
}

function mediaTypeOf({ responses }: Operation): string {
  return responses[200]?.mediaType ?? "application/json"
}
