/** Two instances on one database behind a balancer that sends each request to the other one: stock clients and whole flows see one service. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from "bun:test"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { type Message, Role, type SendMessageRequest } from "@a2a-js/sdk"
import { ClientFactory } from "@a2a-js/sdk/client"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as LegacyHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { ExactEvmScheme } from "@x402/evm/exact/client"
import { wrapFetchWithPayment, x402Client } from "@x402/fetch"
import { Client as Client110 } from "mcp-sdk-1-10/client/index.js"
import { StreamableHTTPClientTransport as Http110 } from "mcp-sdk-1-10/client/streamableHttp.js"
import { Client as Client112 } from "mcp-sdk-1-12/client/index.js"
import { StreamableHTTPClientTransport as Http112 } from "mcp-sdk-1-12/client/streamableHttp.js"
import { planningOperations } from "../../../schemas/agent-mode/planning-operations.ts"
import { getCapabilityManifest } from "../../../schemas/discovery/capability-manifest.ts"
import { agentMcp } from "../../../schemas/discovery/mcp.ts"
import { getServiceProof } from "../../../schemas/discovery/service-proof.ts"
import { PAYMENT_DECISION_PATH } from "../../../schemas/us/payment-decision.ts"
import { must } from "../../../scripts/demo/buyer.ts"
import { untilOpened } from "../../../scripts/demo/until-opened.ts"
import { digestBytes } from "../../../src/core/digest.ts"
import { formatInstant } from "../../../src/core/time.ts"
import { intentBody } from "../../agent-mode/planning/planning-service.ts"
import { consent, dialogueTurn, event, PATHS, revocation } from "../../agent-mode/sales-test-server.ts"
import { enrolTestAgent, type TestAgent } from "../../fixtures/agent.ts"
import { usBody } from "../../fixtures/answers.ts"
import { type Running, run, serve } from "../../fixtures/binary.ts"
import { DEV_ACCOUNTS } from "../../fixtures/chain.ts"
import { overriding } from "../../fixtures/overriding.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { newEmptyPostgresDatabase, type TestDatabase } from "../../fixtures/postgres-schema.ts"
import { expectProblem } from "../../fixtures/problems.ts"
import { type RoundRobin, roundRobin } from "../../fixtures/round-robin.ts"
import { openTestOperator, SCENARIO_MS, type TestOperator, untilReady } from "../../fixtures/test-operator.ts"
import { until } from "../../fixtures/until.ts"

setDefaultTimeout(2 * SCENARIO_MS)

const READ = "get_us_federal_source_health"

describe.skipIf(!HAS_POSTGRES)(`two instances behind a balancer without stickiness${NOT_RUN}`, () => {
  let database: TestDatabase
  let operator: TestOperator
  let balancer: RoundRobin
  let origin: string
  let instances: readonly Running[] = []
  beforeAll(async () => {
    database = await newEmptyPostgresDatabase()
    operator = await openTestOperator({ databaseUrl: database.url })
    balancer = roundRobin()
    origin = balancer.origin
    const flags = [
      ...["--base-url", origin, "--rate-limits", "off", "--settle-wait-ms", "1000"],
      ...["--agent-mode-planning", "on", "--intent-beacon", "on"],
    ]
    // A further machine has a copy of keys, configuration and lists.
    const copy = operator.path("further")
    cpSync(operator.data, copy, { recursive: true })
    instances = [await operator.serve(flags), await serve(copy, overriding(operator.selling, flags))]
    for (const instance of instances) {
      await untilOpened(instance.origin)
      await untilReady(instance.origin)
    }
    balancer.serve(...instances.map((instance) => instance.origin))
  }, 240_000)
  afterAll(async () => {
    for (const instance of instances) await instance.kill()
    await balancer?.[Symbol.asyncDispose]()
    await operator?.[Symbol.asyncDispose]()
    await database?.drop()
  }, 60_000)

  /** Both instances answered some of the requests of `work`. */
  async function shared(work: () => Promise<void>): Promise<void> {
    const before = new Map(balancer.answered)
    await work()
    const counts = instances.map((one) => (balancer.answered.get(one.origin) ?? 0) - (before.get(one.origin) ?? 0))
    expect(Math.min(...counts)).toBeGreaterThan(0)
  }
  const post = (path: string, body: unknown) =>
    fetch(origin + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    })
  const ok = async (path: string, body: unknown, status = 200) => {
    const answer = await post(path, body)
    const text = await answer.text()
    expect([path, answer.status, text]).toEqual([path, status, text])
    // biome-ignore lint/suspicious/noExplicitAny: an answer of any route
    return { text, body: JSON.parse(text) as any }
  }
  /** The published x402 client, and the status of each response that it got. */
  function buyer() {
    const statuses: number[] = []
    const watched = async (input: RequestInfo | URL, init?: RequestInit) => {
      const answer = await fetch(new Request(input, init))
      statuses.push(answer.status)
      return answer
    }
    const client = new x402Client().register("eip155:8453", new ExactEvmScheme(DEV_ACCOUNTS.payer))
    const pay = wrapFetchWithPayment(watched as typeof fetch, client)
    const buy = (path: string, body: unknown) =>
      pay(origin + path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      })
    return { buy, statuses }
  }

  test("the x402 client is quoted by one, pays at the other, and recovers and is refused a second purchase at either", () =>
    shared(async () => {
      const before = (await operator.transfers()).length
      const signed = await operator.sign()
      const { buy, statuses } = buyer()
      const answer = await buy(PAYMENT_DECISION_PATH, signed.request)
      const bytes = await answer.text()
      expect([answer.status, statuses]).toEqual([200, [402, 200]])
      for (let times = 0; times < 3; times++) {
        await expectProblem(await buy(PAYMENT_DECISION_PATH, signed.request), 409, "ALREADY_ACQUIRED")
        expect(await operator.recover(origin, signed)).toEqual({ exit: 0, bytes })
      }
      expect((await operator.transfers()).length).toBe(before + 1)
    }))

  test("the x402 client buys company checks, each quoted by one and paid at the other", () =>
    shared(async () => {
      const { buy, statuses } = buyer()
      for (let times = 0; times < 3; times++) {
        const answer = await buy("/v1/us/company-check", usBody())
        expect(answer.status).toBe(200)
      }
      expect(statuses).toEqual([402, 200, 402, 200, 402, 200])
    }))

  test("a payment that waits for a block is polled at either with the same header until its answer is there", () =>
    shared(async () => {
      const before = (await operator.transfers()).length
      const signed = await operator.sign()
      await operator.chain.setAutomine(false)
      const sent: Headers[] = []
      const client = new x402Client().register("eip155:8453", new ExactEvmScheme(DEV_ACCOUNTS.payer))
      const noting = async (input: RequestInfo | URL, init?: RequestInit) => {
        const request = new Request(input, init)
        if (request.headers.has("payment-signature")) sent.push(request.headers)
        return fetch(request)
      }
      const pay = wrapFetchWithPayment(noting as typeof fetch, client)
      const call = { method: "POST", body: JSON.stringify(signed.request) }
      const headers = { "content-type": "application/json" }
      expect((await pay(origin + PAYMENT_DECISION_PATH, { ...call, headers })).status).toBe(202)
      const header = sent[0]?.get("payment-signature") ?? ""
      const poll = () =>
        fetch(origin + PAYMENT_DECISION_PATH, { ...call, headers: { ...headers, "payment-signature": header } })
      expect([(await poll()).status, (await poll()).status]).toEqual([202, 202])
      await operator.chain.setAutomine(true)
      await operator.chain.mine(1)
      const texts: string[] = []
      for (let polls = 0; texts.length < 4 && polls < 60; polls++) {
        const answer = await poll()
        if (answer.status === 200) texts.push(await answer.text())
        else expect(answer.status).toBe(202)
      }
      expect([texts.length, new Set(texts).size]).toEqual([4, 1])
      expect((await operator.transfers()).length).toBe(before + 1)
    }))

  interface AnyClient {
    listTools(): Promise<{ tools: readonly { name: string }[] }>
    callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>
    listResources(): Promise<{ resources: readonly { uri: string }[] }>
    readResource(params: { uri: string }): Promise<{ contents: readonly unknown[] }>
    close(): Promise<void>
  }
  const info = { name: "test", version: "1" }
  const url = () => new URL(agentMcp.path, origin)
  const connected: readonly (readonly [name: string, revision: string, connect: () => Promise<unknown>])[] = [
    [
      "client 2.4.0",
      "2026-07-28",
      async () => {
        const client = new Client(info, { versionNegotiation: { mode: "auto" } })
        await client.connect(new StreamableHTTPClientTransport(url()))
        return client
      },
    ],
    [
      "sdk 1.32.2",
      "2025-11-25",
      async () => {
        const client = new LegacyClient(info)
        await client.connect(new LegacyHttp(url()) as never)
        return client
      },
    ],
    [
      "sdk 1.12.3",
      "2025-03-26",
      async () => {
        const client = new Client112(info)
        await client.connect(new Http112(url()) as never)
        return client
      },
    ],
    [
      "sdk 1.10.2",
      "2024-11-05",
      async () => {
        const client = new Client110(info)
        await client.connect(new Http110(url()) as never)
        return client
      },
    ],
  ]
  /** With the revision of the protocol that the response to the client's first request names. */
  async function connectedBy(connect: () => Promise<unknown>): Promise<{ client: AnyClient; revision: string }> {
    const found = new Set<string>()
    const real = globalThis.fetch
    const noting = async (...given: Parameters<typeof fetch>) => {
      const answer = await real(...given)
      const text = await answer.clone().text()
      for (const [, revision = ""] of text.matchAll(/"protocolVersion":"([^"]+)"/g)) found.add(revision)
      return answer
    }
    const watched = spyOn(globalThis, "fetch").mockImplementation(noting as typeof fetch)
    const client = await connect()
    watched.mockRestore()
    const revision = client instanceof Client ? client.getNegotiatedProtocolVersion() : [...found].join()
    return { client: client as AnyClient, revision: revision ?? "" }
  }
  test.each(connected)(
    "MCP %s, revision %s: each request of one client goes to another instance",
    (_, revision, connect) =>
      shared(async () => {
        const { client, revision: negotiated } = await connectedBy(connect)
        expect(negotiated).toBe(revision)
        for (let times = 0; times < 2; times++) {
          expect((await client.listTools()).tools.map(({ name }) => name)).toContain(READ)
          expect(await client.callTool({ name: READ, arguments: {} })).toMatchObject({
            structuredContent: { coverage: "FEDERAL_ONLY" },
          })
          const [first] = (await client.listResources()).resources
          expect((await client.readResource({ uri: first?.uri ?? "" })).contents.length).toBe(1)
        }
        await client.close()
      }),
  )

  test("the A2A client reads the card of one and gets answers from both", () =>
    shared(async () => {
      const client = await new ClientFactory().createFromUrl(origin)
      const part = {
        content: { $case: "data", value: { operation: READ, input: {} } },
        metadata: undefined,
        filename: "",
        mediaType: "",
      }
      const message = { messageId: "m-1", contextId: "", taskId: "", role: Role.ROLE_USER, parts: [part] }
      const request = {
        tenant: "",
        message: { ...message, metadata: undefined, extensions: [], referenceTaskIds: [] },
        configuration: undefined,
        metadata: undefined,
      } as SendMessageRequest
      for (let times = 0; times < 4; times++) {
        const [answered] = ((await client.sendMessage(request)) as Message).parts
        expect(answered?.content).toMatchObject({ $case: "data", value: { coverage: "FEDERAL_ONLY" } })
      }
    }))

  test("planning: a continuation of one is used once at the other, and the same request is answered again with the same bytes", () =>
    shared(async () => {
      const { readiness, preflight } = planningOperations
      for (let round = 0; round < 4; round++) {
        const intent = intentBody({
          intent: "REDEEM_US_TOKEN",
          input_digests: {},
          freshness_requirements: { max_age_seconds: 60, evaluated_at: formatInstant(Date.now()) },
          idempotency_key: `balanced-${round}`,
        })
        const ready = await ok(readiness.path, intent)
        const { token } = ready.body.payload.continuation
        const next = { ...intent, continuation: { token }, idempotency_key: `balanced-next-${round}` }
        const first = await ok(preflight.path, next)
        expect((await ok(preflight.path, next)).text).toBe(first.text)
        const other = await post(preflight.path, { ...next, idempotency_key: `balanced-other-${round}` })
        await expectProblem(other, 409, "CONTINUATION_REPLAY")
      }
    }))

  test("discovery: the proof of one names the manifest of the other, and each document has the digest that the manifest names", () =>
    shared(async () => {
      const bytesOf = async (path: string) => new Uint8Array(await (await fetch(origin + path)).arrayBuffer())
      const jsonOf = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes))
      for (let round = 0; round < 3; round++) {
        const proof = jsonOf(await bytesOf(getServiceProof.path))
        const manifest = await bytesOf(getCapabilityManifest.path)
        expect(proof.payload.capability_manifest_digest).toBe(digestBytes(manifest))
        for (const { path, digest } of jsonOf(manifest).payload.discovery_documents) {
          expect([path, digestBytes(await bytesOf(path))]).toEqual([path, digest])
        }
      }
    }))

  describe("an agent", () => {
    let agent: TestAgent
    beforeAll(async () => {
      // Its challenge comes from one instance, and it proves its keys at the other.
      agent = await enrolTestAgent((request) => fetch(request), origin)
    })
    const by = () => ({ key: agent.operational, agentId: agent.agentId, audience: origin })

    test("holds a sales dialogue whose turns go to one and to the other", () =>
      shared(async () => {
        const questions = [{ question_code: "CHARGE_RULE", product_id: "us.company.check.v1" }]
        let inReplyTo: string | null = null
        for (let turn = 0; turn < 4; turn++) {
          const members = { turn, in_reply_to: inReplyTo, questions }
          const { body } = await ok(PATHS.dialogue, dialogueTurn(Date.now(), members, by()))
          expect(body.payload.answers.length).toBe(1)
          inReplyTo = body.digest
        }
      }))

    test("consents to the Beacon at one, sends events to both, and none is taken after it revoked at one", () =>
      shared(async () => {
        await ok(PATHS.consents, consent(Date.now(), {}, by()), 201)
        for (let times = 0; times < 4; times++) await ok(PATHS.events, event(Date.now(), {}, by()), 202)
        await ok(PATHS.revoke(), revocation(Date.now(), {}, by()))
        for (let times = 0; times < 2; times++) {
          const refused = await post(PATHS.events, event(Date.now(), {}, by()))
          await expectProblem(refused, 409, "CONSENT_NOT_ACTIVE")
        }
      }))
  })

  test("a key that is rotated on one machine: the other signs with the promised key, and after a second rotation with none until it has the file", async () => {
    const [first, further] = instances as readonly [Running, Running]
    const rotate = () => must(run, ["keys", "rotate", "--data", operator.data])
    const signsWith = async ({ origin: at }: Running) => {
      const proof = (await (await fetch(at + getServiceProof.path)).json()) as { signature: { key_id: string } }
      return proof.signature.key_id
    }
    const before = await signsWith(further)
    // The copy of the data directory has the next key too.
    await rotate()
    for (const one of [first, further]) {
      await until("it signs with the new key", async () => (await signsWith(one)) !== before, { everyMs: 200 })
    }
    expect(await signsWith(further)).toBe(await signsWith(first))
    await rotate()
    await further.logged('"event":"signing_key_missing"')
    const isNotReady = async () => (await fetch(`${further.origin}/readyz`)).status === 503
    await until("the other one is not ready", isNotReady, { everyMs: 200 })
    const reasons = (await (await fetch(`${further.origin}/readyz`)).json()) as { reason_codes: string[] }
    expect(reasons.reason_codes).toEqual(["SIGNING_KEY_MISSING"])
    const quote = await fetch(further.origin + PAYMENT_DECISION_PATH, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify((await operator.sign()).request),
    })
    await expectProblem(quote, 503, "NOT_READY")
    cpSync(join(operator.data, "keys"), operator.path("further/keys"), { recursive: true })
    for (const { origin: each } of instances) await untilReady(each)
    await shared(async () => {
      const { buy } = buyer()
      for (let times = 0; times < 2; times++) {
        expect((await buy(PAYMENT_DECISION_PATH, (await operator.sign()).request)).status).toBe(200)
      }
      expect(await signsWith(further)).toBe(await signsWith(first))
    })
  })
})
