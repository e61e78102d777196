/** The parts of JSON-RPC 2.0 that the MCP and the A2A endpoint share. */
import { type TSchema, Type } from "@sinclair/typebox"
import { text } from "../text.ts"

export const RpcMembers = Type.Record(Type.String(), Type.Unknown())
export const RpcId = Type.Union([text(0, 256), Type.Integer()])

/** A response. Its `id` is null if the request had no readable id. */
export function rpcResponse<ErrorObject extends TSchema>(error: ErrorObject, $id: string) {
  return Type.Object(
    {
      jsonrpc: Type.Literal("2.0"),
      id: Type.Union([RpcId, Type.Null()]),
      result: Type.Optional(RpcMembers),
      error: Type.Optional(error),
    },
    { $id },
  )
}
