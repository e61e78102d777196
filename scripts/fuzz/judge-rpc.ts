/** What is wrong with a JSON-RPC answer: it belongs to its request, and a tool fails only as its operation says. */
import type { FuzzOperation, FuzzRequest } from "./fuzz-request.ts"

interface RpcAnswer {
  readonly id: unknown
  readonly error?: { readonly code: number }
  readonly result?: { readonly isError?: boolean; readonly content?: readonly { readonly text?: string }[] }
}
interface RpcRequest {
  readonly id?: unknown
  readonly params?: { readonly name?: unknown }
}

const ENDPOINTS = ["agent_mcp", "agent_a2a"]
const INTERNAL_ERROR = -32603

export function judgeRpc(
  rows: readonly FuzzOperation[],
  { operation }: FuzzOperation,
  { body, expects }: FuzzRequest,
  { status, json }: { readonly status: number; readonly json: unknown },
): string[] {
  if (!ENDPOINTS.includes(operation.operationId) || status !== 200 || body === null) return []
  const message = JSON.parse(body.toString()) as RpcRequest
  const answer = json as RpcAnswer
  const faults: string[] = []
  if (expects.isValid && answer.id !== message.id) faults.push("the answer has another id than the request")
  if ((answer.error === undefined) === (answer.result === undefined)) faults.push("not one of result and error")
  if (answer.error?.code === INTERNAL_ERROR) faults.push("an internal error")
  const text = answer.result?.isError ? answer.result.content?.[0]?.text : undefined
  return [...faults, ...(text === undefined ? [] : judgeToolError(rows, message.params?.name, text))]
}

function judgeToolError(rows: readonly FuzzOperation[], name: unknown, text: string): string[] {
  const { status = 0, x402Version } = JSON.parse(text) as { readonly status?: number; readonly x402Version?: number }
  if (x402Version !== undefined) return []
  const named = rows.find(({ operation }) => operation.operationId === name)?.operation.responses ?? {}
  return status < 500 || status in named ? [] : [`the tool ${String(name)} fails with ${status}, which is not named`]
}
