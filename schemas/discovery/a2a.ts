/** The A2A endpoint, protocol version 1.0, JSON-RPC binding: one request in each POST. */
import { type Static, Type } from "@sinclair/typebox"
import { FREE, operation } from "../operation.ts"
import { text } from "../text.ts"
import { RpcId, RpcMembers, rpcResponse } from "./json-rpc.ts"

export const A2A_VERSION = "1.0"
export const AGENT_A2A_PATH = "/v1/agent/a2a"

const open = { additionalProperties: true } as const

/** Open, because clients add members that the protocol defines later. CHOICE: a request without an id is refused, because A2A has no notifications. */
export const A2aRequest = Type.Object(
  {
    jsonrpc: Type.Literal("2.0"),
    id: RpcId,
    method: text(1, 256),
    params: Type.Optional(RpcMembers),
  },
  { ...open, $id: "A2aRequest" },
)
export type A2aRequest = Static<typeof A2aRequest>

const A2aError = Type.Object({
  code: Type.Integer(),
  message: Type.String(),
  data: Type.Array(Type.Object({ "@type": Type.String() }, open), {
    description: "google.rpc.ErrorInfo: reason, domain and metadata",
  }),
})

export const A2aResponse = rpcResponse(A2aError, "A2aResponse")

/** A refusal of the endpoint: a JSON-RPC error in a response with this status. */
const refused = (description: string) => ({ description, schema: A2aResponse })

export const agentA2a = operation({
  ...FREE,
  id: "agent_a2a",
  method: "POST",
  path: AGENT_A2A_PATH,
  summary:
    "A2A 1.0 over JSON-RPC: SendMessage with one data part {operation, input} runs a free operation; for a paid one it answers where to buy, and for words what there is. message/send of 0.3 does the same",
  body: A2aRequest,
  schemaFaultStatus: 400,
  responses: {
    200: {
      description: "The JSON-RPC response of a request, a result or an error of the protocol",
      schema: A2aResponse,
    },
    400: refused("-32700 not strict JSON, -32600 no request"),
    413: refused("The body is over 64 KiB"),
    415: refused("The body is not application/json"),
    429: refused("Too many requests from this address"),
    503: refused("The service cannot take work now"),
  },
  cors: "NONE",
  rateLimit: { group: "a2a", perMinute: 600 },
  exampleBody: {
    jsonrpc: "2.0",
    id: 1,
    method: "SendMessage",
    params: {
      message: {
        messageId: "example-1",
        role: "ROLE_USER",
        parts: [{ data: { operation: "get_us_federal_source_health", input: {} } }],
      },
    },
  },
})
