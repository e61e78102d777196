/** A node whose every answer a test decides, and what questions of one turn got from it. */
import { expect } from "bun:test"
import { type Address, numberToHex } from "viem"
import { CallFailed, type EvmNode, RpcUnavailable } from "../../src/payments/rpc.ts"

export interface Received {
  readonly jsonrpc: string
  readonly id: number
  readonly method: string
  readonly params: readonly string[]
}
export type Answer = Readonly<Record<string, unknown>>
export type Body = Received | Received[]

/** A node whose every answer a test decides. The balance of an account is the number in its address, so a swapped answer shows. */
export function startNode() {
  const bodies: Body[] = []
  const node = {
    url: "",
    /** What it was sent, in order. */
    bodies,
    get batches(): Received[][] {
      return bodies.filter((body) => Array.isArray(body))
    },
    respond: honest as (body: Body) => Response | Promise<Response>,
    reset() {
      bodies.length = 0
      node.respond = honest
    },
    stop: () => server.stop(true),
  }
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = (await request.json()) as Body
      bodies.push(body)
      return node.respond(body)
    },
  })
  node.url = `http://127.0.0.1:${server.port}/v2/provider-key`
  return node
}
export const answerTo = ({ id, params: [account = "0x0"] }: Received): Answer => ({
  jsonrpc: "2.0",
  id,
  result: numberToHex(BigInt(account)),
})
const honest = (body: Body) => Response.json(Array.isArray(body) ? body.map(answerTo) : answerTo(body))
/** Changes the answers to a batch; single questions get honest ones. */
export const inBatch = (respond: (answers: Answer[]) => unknown) => async (body: Body) => {
  if (!Array.isArray(body)) return honest(body)
  const response = await respond(body.map(answerTo))
  return response instanceof Response ? response : Response.json(response)
}

export const accountOf = (number: number): Address => `0x${number.toString(16).padStart(40, "0")}`

/** What a question got. Nothing of URL and request is in its error. */
export async function outcome(question: Promise<unknown>): Promise<unknown> {
  try {
    return await question
  } catch (error) {
    const told = `${String(error)} ${Bun.inspect(error, { depth: 9 })}`
    expect(told).not.toContain("provider-key")
    expect(told).not.toContain("0000000000")
    if (error instanceof RpcUnavailable) return "unavailable"
    return error instanceof CallFailed ? "failed" : error
  }
}

/** Asks for balances in one turn; each question gets its own number, or why it got none. */
export const balances = (node: EvmNode, ...accounts: readonly number[]) =>
  Promise.all(accounts.map((account) => outcome(node.etherBalance(accountOf(account)))))
