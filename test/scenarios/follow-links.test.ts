/**
 * An agent that knows only a base URL. It follows links: it enrols an identity, finds the UK payment, gets a quote, pays it on the local
 * chain and verifies the answer. The only path in this file is `/`.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { type Running, run } from "../fixtures/binary.ts"
import { enrolment, faultsOf, type Json, myUkPayment, payment } from "../fixtures/newcomer.ts"
import { SCENARIO_MS, type TestOperator } from "../fixtures/test-operator.ts"
import { openUkSeller, UK_COMPANY } from "../fixtures/uk-seller.ts"

setDefaultTimeout(SCENARIO_MS)

let operator: TestOperator
let server: Running

beforeAll(async () => {
  operator = await openUkSeller()
  server = await operator.serve()
})
afterAll(() => operator[Symbol.asyncDispose]())

interface Step {
  readonly operation_id: string
  readonly method: string
  readonly uri?: string
  readonly uri_template?: string
}
interface Documents {
  readonly links: readonly { rel: string; uri: string }[]
  readonly map: { readonly journeys: readonly { id: string; steps: readonly Step[] }[] }
}

const json = async (reply: Response) => (await reply.json()) as Json
const get = async (uri: string) => {
  const reply = await fetch(uri)
  expect([uri, reply.status]).toEqual([uri, 200])
  return json(reply)
}
const post = (uri: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(uri, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  })

async function documents(): Promise<Documents> {
  const { links } = (await get(`${server.origin}/`)) as unknown as Documents
  return { links, map: (await get(linked(links, "agent-map"))) as unknown as Documents["map"] }
}

function linked(links: Documents["links"], rel: string): string {
  const link = links.find((one) => one.rel === rel)
  if (!link) throw new Error(`no link ${rel}`)
  return link.uri
}

function stepsOf({ map }: Documents, id: string): readonly Step[] {
  const journey = map.journeys.find((one) => one.id === id)
  if (!journey) throw new Error(`no journey ${id}`)
  return journey.steps
}

function filled({ uri, uri_template: template = "" }: Step, values: Record<string, string> = {}): string {
  return uri ?? template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""))
}

test("enrols an identity by following the links of the base URL", async () => {
  const { request, proof } = enrolment()
  const [bootstrap, challenge, prove, profile, status] = stepsOf(await documents(), "enroll-agent-identity") as [
    ...Step[],
  ] as [Step, Step, Step, Step, Step]
  expect(await get(filled(bootstrap))).toMatchObject({ claim: "KEY_CONTROL_ONLY" })
  const issued = await post(filled(challenge), request)
  expect(issued.status).toBe(201)
  const { challengeId, body } = proof(await json(issued))
  const proved = await json(await post(filled(prove, { challengeId }), body))
  expect(proved).toMatchObject({ result: "ENROLLED" })
  const agentId = String(proved["agent_id"])
  expect(await get(filled(profile, { agentId }))).toMatchObject({ identity_status: "ACTIVE" })
  expect(await get(filled(status, { agentId }))).toMatchObject({ payload: { agent_id: agentId } })
})

test("finds, buys and verifies the UK payment authorization by following the links of the base URL", async () => {
  const found = await documents()
  const { intents } = (await get(linked(found.links, "intents"))) as unknown as {
    intents: { intent: string; product_id: string; charge: { amount_atomic: string } }[]
  }
  const intent = intents.find((one) => one.intent === "AUTHORIZE_GB_BUSINESS_PAYMENT")
  if (!intent) throw new Error("no intent for a UK payment")
  const steps = stepsOf(found, `buy:${intent.product_id}`)
  const step = (name: string) => {
    const one = steps.find(({ operation_id: id }) => id === name || id.endsWith(name))
    if (!one) throw new Error(`no step ${name}`)
    return one
  }

  const { example } = (await get(filled(step("_example")))) as { example: Json }
  const request = myUkPayment(example, UK_COMPANY)
  const sell = steps.find(({ method, uri }) => method === "POST" && uri && !uri.endsWith("eligibility")) as Step
  expect(await json(await post(filled(step("_eligibility")), request))).toMatchObject({
    eligible: true,
  })

  const body = JSON.stringify(request)
  const headers = await requiredHeaders(found, sell.operation_id, {
    "Idempotency-Key": String(request["idempotency_key"]),
    "X-CDO-Request-Body-Digest": `sha256:${createHash("sha256").update(body).digest("hex")}`,
  })
  const quoted = await post(filled(sell), request, headers)
  expect(quoted.status).toBe(402)
  const paid = await payment(await json(quoted), BigInt(intent.charge.amount_atomic))
  const bought = await post(filled(sell), request, {
    ...headers,
    "payment-signature": Buffer.from(JSON.stringify(paid)).toString("base64"),
  })
  expect(bought.status).toBe(200)
  const bytes = await bought.text()
  const answer = JSON.parse(bytes) as Json
  expect(answer).toMatchObject({ decision: "APPROVE", payment: { payment_status: "SETTLED" } })

  const executionId = String(answer["execution_id"])
  const capsule = await get(filled(step("_execution_proof"), { executionId }))
  const jwks = await get(filled(step("get_service_jwks")))
  expect(faultsOf(answer, capsule as never, request, jwks as never)).toEqual([])

  // The program agrees, from files alone.
  for (const [name, value] of Object.entries({ answer, capsule, jwks, request })) {
    writeFileSync(operator.path(`${name}.json`), name === "answer" ? bytes : JSON.stringify(value))
  }
  const file = (name: string) => operator.path(`${name}.json`)
  const verified = await run([
    ...["verify", file("answer"), "--issuer", file("jwks")],
    ...["--capsule", file("capsule"), "--request", file("request")],
  ])
  expect([verified.exit, verified.err]).toEqual([0, ""])
})

interface Parameter {
  readonly $ref?: string
  readonly in?: string
  readonly name?: string
  readonly required?: boolean
}
interface Api {
  readonly paths: Record<string, Record<string, { operationId: string; parameters?: readonly Parameter[] }>>
  readonly components: { readonly parameters: Record<string, Parameter> }
}

/** The headers that the API description requires for an operation, with the agent's values. Throws for a header without a value. */
async function requiredHeaders(
  { links }: Documents,
  operationId: string,
  values: Record<string, string>,
): Promise<Record<string, string>> {
  const api = (await get(linked(links, "service-desc"))) as unknown as Api
  const operations = Object.values(api.paths).flatMap((path) => Object.values(path))
  const row = operations.find((one) => one.operationId === operationId)
  const parameters = (row?.parameters ?? []).map(
    (one) => api.components.parameters[String(one.$ref).split("/").at(-1) ?? ""] ?? one,
  )
  const names = parameters.flatMap((one) => (one.in === "header" && one.required && one.name ? [one.name] : []))
  return Object.fromEntries(
    names.map((name) => {
      const value = values[name]
      if (value === undefined) throw new Error(`the agent does not know the header ${name}`)
      return [name, value]
    }),
  )
}
