/**
 * An agent that knows only the address of the MCP endpoint. With the official client it enrols an identity, finds the UK payment among the
 * tools, gets a quote, pays it on the local chain and verifies the answer.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { agentMcp } from "../../schemas/discovery/mcp.ts"
import { enrolment, faultsOf, type Json, myUkPayment, payment } from "../fixtures/newcomer.ts"
import { SCENARIO_MS, type TestOperator } from "../fixtures/test-operator.ts"
import { openUkSeller, UK_COMPANY } from "../fixtures/uk-seller.ts"

setDefaultTimeout(SCENARIO_MS)

const PRICE_MAX = 150_000n

let operator: TestOperator
let client: Client

beforeAll(async () => {
  operator = await openUkSeller()
  const server = await operator.serve()
  client = new Client({ name: "newcomer", version: "1" }, { versionNegotiation: { mode: "auto" } })
  await client.connect(new StreamableHTTPClientTransport(new URL(agentMcp.path, server.origin)))
})
afterAll(async () => {
  await client.close()
  await operator[Symbol.asyncDispose]()
})

interface Result {
  readonly isError?: boolean
  readonly content: readonly { readonly text: string }[]
  readonly _meta?: Json
}

async function call(name: string, args: Json, meta?: Json): Promise<Result> {
  const params = { name, arguments: args, ...(meta && { _meta: meta }) }
  return (await client.callTool(params)) as unknown as Result
}
const bodyOf = ({ content }: Result) => JSON.parse(content[0]?.text ?? "") as Json

/** The JSON document whose address ends so. */
async function read(ending: string): Promise<Json> {
  const { resources } = await client.listResources()
  const uri = resources.find((one) => one.uri.endsWith(ending))?.uri
  if (!uri) throw new Error(`no resource ends with ${ending}`)
  const { contents } = await client.readResource({ uri })
  return JSON.parse((contents[0] as { text: string }).text) as Json
}

async function toolFor(words: RegExp): Promise<string> {
  const { tools } = await client.listTools()
  const found = tools.filter(({ description = "" }) => words.test(description))
  expect(found.length).toBe(1)
  return found[0]?.name ?? ""
}

test("enrols an identity with tools alone", async () => {
  const { request, proof } = enrolment()
  const challenge = await call(await toolFor(/key event to be signed/i), request)
  const { challengeId, body } = proof(bodyOf(challenge))
  const proved = bodyOf(await call(await toolFor(/prove possession/i), { challengeId, ...body }))
  expect(proved).toMatchObject({ result: "ENROLLED" })
  const profile = bodyOf(await call("GetAgentIdentity", { agentId: proved["agent_id"] }))
  expect(profile).toMatchObject({ identity_status: "ACTIVE" })
})

test("finds, buys and verifies the UK payment authorization with tools and resources alone", async () => {
  const tool = await toolFor(/authorize a business payment to a UK company/i)
  const { example } = (await read("/gb/payments/authorize/example")) as { example: Json }
  const request = myUkPayment(example, UK_COMPANY)

  const quoted = await call(tool, request)
  expect(quoted.isError).toBe(true)
  const paid = await payment(bodyOf(quoted), PRICE_MAX)
  const bought = await call(tool, request, { "x402/payment": paid })
  expect(bought.isError ?? false).toBe(false)
  const answer = bodyOf(bought)
  expect(answer).toMatchObject({ decision: "APPROVE", payment: { payment_status: "SETTLED" } })
  expect(bought._meta?.["x402/payment-response"]).toMatchObject({ success: true, network: "eip155:8453" })

  const capsule = bought._meta?.["svc/proof-capsule"]
  expect(faultsOf(answer, capsule as never, request, (await read("/jwks.json")) as never)).toEqual([])
  const stored = await call("get_stored_answer", { product: tool, execution_id: answer["execution_id"] })
  expect(bodyOf(stored)).toMatchObject({ execution_id: answer["execution_id"], replayed: true })
  expect(stored._meta?.["svc/proof-capsule"]).toEqual(capsule)
  const altered = { ...answer, decision: "BLOCK" }
  expect(faultsOf(altered, capsule as never, request, (await read("/jwks.json")) as never)).toEqual(["core"])
})
