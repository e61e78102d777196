/** A program that knows the route map and no route: it takes every address from the map or from an answer. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import type { AgentIdentityChallenge } from "../../../schemas/agent-id/challenge.ts"
import type { AgentMap, JourneyStep } from "../../../schemas/discovery/agent-map.ts"
import type { SvcIntents } from "../../../schemas/discovery/svc-intents.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { verifySignature } from "../../../src/core/ed25519.ts"
import { AGENT_DOCUMENTS } from "../../../src/discovery/documents/agent-documents.ts"
import { agentMap } from "../../../src/discovery/documents/agent-map.ts"
import { enrolmentRequest, makeAgentKeys, proofOf } from "../../fixtures/agent.ts"
import { type AnswerTestServer, answerTestServer } from "../../fixtures/answer-test-server.ts"
import { signedFor } from "../../fixtures/answers.ts"
import { discoveryParts, printedOf } from "../../fixtures/discovery-parts.ts"
import { gbHeaders, gbPaymentBody } from "../../fixtures/gb.ts"
import { addressesIn, isServed } from "../../fixtures/links.ts"
import { type ServedService, servedService } from "../../fixtures/served.ts"
import { issuer, ORIGIN } from "../../fixtures/test-server.ts"

setDefaultTimeout(30_000)

const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
})

function stepsOf({ journeys }: AgentMap, id: string): readonly JourneyStep[] {
  const journey = journeys.find((one) => one.id === id)
  if (!journey) throw new Error(`the map has no journey ${id}`)
  return journey.steps
}

/** The address of a step. A parameter is filled by the member of an earlier answer with the same name in snake case. */
function addressOf({ uri, uri_template }: JourneyStep, known: Readonly<Record<string, unknown>> = {}): string {
  if (uri !== undefined) return uri
  return (uri_template ?? "").replace(/\{(\w+)\}/g, (_, name: string) => {
    const member = known[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]
    if (typeof member !== "string") throw new Error(`no answer had a member for ${name}`)
    return encodeURIComponent(member)
  })
}

describe("on the whole service", () => {
  let served: ServedService
  let map: AgentMap
  beforeAll(async () => {
    served = await servedService()
    map = (await (await fetch(`${served.origin}/.well-known/agent-map.json`)).json()) as AgentMap
  })
  afterAll(() => served[Symbol.asyncDispose]())

  test("every entry point answers with the media type that the map names; the two endpoints take POST", async () => {
    for (const { uri, media_type } of map.entry_points) {
      const answer = await fetch(uri)
      if (answer.status === 405) expect([uri, answer.headers.get("allow")]).toEqual([uri, "POST, OPTIONS"])
      else expect([uri, answer.status, answer.headers.get("content-type")]).toEqual([uri, 200, media_type])
    }
  })

  test("every address in every document answers, and every template is that of a served route", async () => {
    const rows = served.service.shell.served.rows()
    const checked = new Set<string>()
    for (const { operation } of AGENT_DOCUMENTS) {
      const document = (await (await fetch(`${served.origin}${operation.path}`)).json()) as unknown
      for (const address of addressesIn(document, served.origin)) {
        if (checked.has(address) || address === served.origin) continue
        checked.add(address)
        expect(isServed(rows, served.origin, address), address).toBe(true)
        const row = rows.find(({ path }) => !path.includes("{") && address === `${served.origin}${path}`)
        // A POST route that is there rejects a request without a body for its media type.
        if (row)
          expect([address, (await fetch(address, { method: row.method })).status]).toEqual([
            address,
            row.method === "GET" ? 200 : 415,
          ])
      }
    }
    expect(checked.size).toBeGreaterThan(70)
  })

  test("the map names only rows that this server serves, and no journey is missing", () => {
    expect(map.journeys.map(({ id }) => id)).toEqual(agentMap(discoveryParts()).journeys.map(({ id }) => id))
    for (const { proof } of map.external_index_channels) expect(proof).toBe("REQUIRES_INDEPENDENT_EXTERNAL_PROOF")
  })

  test("it enrols an identity and reads its status", async () => {
    const steps = stepsOf(map, "enroll-agent-identity")
    const [bootstrap, challenge, prove, profile, status] = steps as [
      JourneyStep,
      JourneyStep,
      JourneyStep,
      JourneyStep,
      JourneyStep,
    ]
    const described = (await (await fetch(addressOf(bootstrap))).json()) as {
      enrollment: { first_request: { uri: string } }
    }
    expect(described.enrollment.first_request.uri).toBe(addressOf(challenge))
    const keys = makeAgentKeys()
    const issued = (await (
      await fetch(addressOf(challenge), post(enrolmentRequest(keys)))
    ).json()) as AgentIdentityChallenge
    const signed = proofOf(issued, keys)
    const proofAddress = addressOf(prove, issued.challenge)
    expect(issued.proof_request.uri).toBe(proofAddress)
    const proved = await fetch(proofAddress, post(signed))
    const enrolled = (await proved.json()) as Record<string, unknown>
    expect([proved.status, enrolled["result"]]).toEqual([200, "ENROLLED"])
    for (const step of [profile, status]) expect((await fetch(addressOf(step, enrolled))).status).toBe(200)
    expect(steps.every(({ auth, charge }) => auth === "NONE" && charge === null)).toBe(true)
  })
})

describe("on a server that sells", () => {
  let given: AnswerTestServer
  beforeAll(async () => {
    given = await answerTestServer()
  })
  afterAll(() => given[Symbol.asyncDispose]())

  test("it finds the UK payment by its need, reads schema and example, gets a quote, pays once, reads the answer again and verifies it", async () => {
    const { server } = given
    const ask = (address: string, init?: RequestInit) => server.handle(new Request(address, init))
    const parts = { ...discoveryParts(server.served.rows()), baseUrl: ORIGIN }
    const [intents, map] = [AGENT_DOCUMENTS[0], AGENT_DOCUMENTS.at(-1)].map((row) => row && printedOf(row, parts)) as [
      SvcIntents,
      AgentMap,
    ]
    const need = intents.intents.find(({ intent }) => intent === "AUTHORIZE_GB_BUSINESS_PAYMENT")
    const steps = stepsOf(map, `buy:${need?.product_id}`)
    const [schema, example, eligibility, quote, buy, stored, proof] = steps as JourneyStep[] &
      Required<Record<number, JourneyStep>>
    if (!schema || !example || !eligibility || !quote || !buy || !stored || !proof) throw new Error("steps are missing")

    const described = (await (await ask(addressOf(schema))).json()) as { schema: { required: string[] } }
    const shown = (await (await ask(addressOf(example))).json()) as { example: object }
    expect(Object.keys(shown.example)).toEqual(expect.arrayContaining(described.schema.required))
    for (const pointer of need?.required_inputs ?? [])
      expect(described.schema.required).toContain(pointer.split("/")[1] ?? "")
    const checked = (await (await ask(addressOf(eligibility), post(shown.example))).json()) as { charged: boolean }
    expect(checked.charged).toBe(false)

    const body = gbPaymentBody()
    const headers = gbHeaders(body)
    const quoted = await ask(addressOf(quote), post(body, headers))
    const { svc } = (await quoted.json()) as { svc: { price: { amount: string; amount_atomic: string } } }
    expect([quoted.status, quote.auth, quote.charge]).toEqual([402, "NONE", null])
    expect(buy.charge).toMatchObject({ amount: svc.price.amount, amount_atomic: svc.price.amount_atomic })

    const payment = await signedFor(server, { path: new URL(addressOf(buy)).pathname, body, headers })
    const bought = await ask(addressOf(buy), post(body, { ...headers, ...payment }))
    const answer = (await bought.json()) as Record<string, unknown>
    expect([bought.status, await given.transfers()]).toEqual([200, 1])

    const again = (await (await ask(addressOf(stored, answer))).json()) as Record<string, unknown>
    expect([again["replayed"], again["decision"]]).toEqual([true, answer["decision"] as string])
    const capsule = (await (await ask(addressOf(proof, answer))).json()) as {
      payload: { request_id: string; decision: string }
      capsule_digest: string
      signature: { value: string }
    }
    expect(capsule.capsule_digest).toBe(digestOf(capsule.payload))
    expect(verifySignature(issuer.x, canonicalize(capsule.payload), capsule.signature.value)).toBe(true)
    expect(capsule.payload).toMatchObject({ request_id: answer["request_id"], decision: answer["decision"] })
  })
})
