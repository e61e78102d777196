/** Where a reader who knows only the base URL begins. */
import { type Static, Type } from "@sinclair/typebox"
import { closed } from "../common.ts"
import { operation, PUBLIC_READ } from "../operation.ts"
import { HTML } from "../response.ts"
import { documentReplies } from "./document-replies.ts"

export const ServiceEntry = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    service: Type.String({ description: "Name of the operator" }),
    links: Type.Array(
      closed({
        rel: Type.String({ description: "A registered link relation (RFC 8288) where one fits" }),
        title: Type.String(),
        method: Type.Union([Type.Literal("GET"), Type.Literal("POST")]),
        uri: Type.String(),
        media_type: Type.String(),
      }),
    ),
  },
  { $id: "ServiceEntry" },
)
export type ServiceEntry = Static<typeof ServiceEntry>

/** CHOICE: `/` is a page for a browser and JSON for a machine. The same links as a `Link` header serve clients that read no body. */
export const readServiceEntry = operation({
  ...PUBLIC_READ,
  id: "read_service_entry",
  path: "/",
  summary: "Links to every document of the service; also as a Link header (RFC 8288)",
  responses: {
    200: {
      description: "Links to served routes only",
      schema: ServiceEntry,
      otherMediaTypes: [HTML],
    },
    304: { description: "Unchanged since the ETag sent" },
  },
  tool: "READ",
})

export const redirectToOpenapi = operation({
  ...PUBLIC_READ,
  id: "redirect_to_openapi",
  path: "/openapi.json",
  summary: "The usual place of an OpenAPI document; redirects to it",
  responses: {
    308: { description: "Location names the OpenAPI document" },
  },
})

export const readLlmsText = operation({
  ...PUBLIC_READ,
  id: "read_llms_text",
  path: "/llms.txt",
  summary: "What this service is and the links that matter, as text for a language model",
  responses: {
    200: { description: "llms.txt in Markdown", mediaType: "text/plain; charset=utf-8" },
    ...documentReplies,
  },
})

export const readRobotsText = operation({
  ...PUBLIC_READ,
  id: "read_robots_text",
  path: "/robots.txt",
  summary: "What a crawler may read (RFC 9309)",
  responses: {
    200: { description: "robots.txt", mediaType: "text/plain; charset=utf-8" },
    ...documentReplies,
  },
})
