/** The MCP server card. `server/discover` of the endpoint gives the same name, version and protocol versions. */
import { type Static, Type } from "@sinclair/typebox"
import { closed } from "../common.ts"
import { text } from "../text.ts"

export const SERVER_CARD_SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"

export const McpServerCard = closed(
  {
    $schema: Type.Literal(SERVER_CARD_SCHEMA),
    name: Type.String({ pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$" }),
    version: Type.String({ minLength: 1 }),
    description: text(1, 100),
    title: text(1, 100),
    websiteUrl: Type.Optional(Type.String()),
    remotes: Type.Array(
      closed({
        type: Type.Literal("streamable-http"),
        url: Type.String(),
        supportedProtocolVersions: Type.Array(Type.String(), { minItems: 1 }),
      }),
      { minItems: 1, maxItems: 1 },
    ),
    _meta: closed({
      "svc/tool-sets": Type.Array(closed({ name: Type.String(), description: Type.String(), query: Type.String() }), {
        description:
          "Sets of tools that tools/list has when the query is added to the address of the endpoint; tools/call takes every tool",
      }),
      "svc/products": Type.Array(Type.String(), { description: "What the paid tools sell" }),
      "svc/limitations": Type.Array(Type.String()),
      "svc/openapi": Type.Optional(Type.String({ description: "URI of the OpenAPI document" })),
    }),
  },
  { $id: "McpServerCard" },
)
export type McpServerCard = Static<typeof McpServerCard>
