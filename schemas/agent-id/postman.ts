import { type Static, type TSchema, Type } from "@sinclair/typebox"
import { closed } from "../common.ts"
import { documentReplies } from "../discovery/document-replies.ts"
import { operation, PUBLIC_READ } from "../operation.ts"

export const POSTMAN_SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"

const Script = closed({
  listen: Type.Union([Type.Literal("prerequest"), Type.Literal("test")]),
  script: closed({ type: Type.Literal("text/javascript"), exec: Type.Array(Type.String()) }),
})

const Request = closed({
  name: Type.String(),
  event: Type.Array(Script),
  request: closed({
    method: Type.Union([Type.Literal("GET"), Type.Literal("POST")]),
    description: Type.String(),
    header: Type.Array(closed({ key: Type.String(), value: Type.String() })),
    url: closed({ raw: Type.String(), host: Type.Array(Type.String()), path: Type.Array(Type.String()) }),
    body: Type.Optional(
      closed({
        mode: Type.Literal("raw"),
        raw: Type.String(),
        options: closed({ raw: closed({ language: Type.Literal("json") }) }),
      }),
    ),
  }),
  response: Type.Array(Type.Never(), { maxItems: 0 }),
})

const folder = <T extends TSchema>(item: T) =>
  closed({ name: Type.String(), description: Type.String(), event: Type.Array(Script), item: Type.Array(item) })

/** The part of Postman's collection format 2.1 that this collection uses. */
export const PostmanCollection = closed(
  {
    info: closed({
      name: Type.String(),
      description: Type.String(),
      schema: Type.Literal(POSTMAN_SCHEMA),
      version: Type.Literal("1.0.0"),
    }),
    variable: Type.Array(
      closed({ key: Type.String(), value: Type.String(), type: Type.Literal("string"), description: Type.String() }),
    ),
    item: Type.Array(folder(Request)),
  },
  { $id: "PostmanCollection" },
)
export type PostmanCollection = Static<typeof PostmanCollection>
export type PostmanFolder = PostmanCollection["item"][number]
export type PostmanRequest = PostmanFolder["item"][number]

export const readPostmanCollection = operation({
  ...PUBLIC_READ,
  id: "GetAgentIdPostmanCollection",
  path: "/v1/agent-id/postman-collection",
  summary:
    "Importable requests (Postman collection 2.1): enrol in two runs, signing between them on your own machine; quotes for every product",
  responses: {
    200: { description: "Collection without credentials or private keys", schema: PostmanCollection },
    ...documentReplies,
  },
})
