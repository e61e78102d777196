/** An agent's command relies on an answer only if the service signed it, for this agent and this request. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { planningOperations } from "../../../schemas/agent-mode/planning-operations.ts"
import { getServiceJwks } from "../../../schemas/discovery/jwks.ts"
import type { Send } from "../../../src/agent/service-call.ts"
import { CommandError, EXIT } from "../../../src/base/exit.ts"
import { type Machine, realMachine } from "../../../src/base/machine.ts"
import { planCommand, runPlan } from "../../../src/cli/agent/ask-plan.ts"
import { command as consentCommand, runConsent } from "../../../src/cli/agent/beacon-consent.ts"
import { command as dialogueCommand, runDialogue } from "../../../src/cli/agent/dialogue.ts"
import { command as enroll, runEnrol } from "../../../src/cli/agent/enroll.ts"
import { command as keygen } from "../../../src/cli/agent/keygen.ts"
import { command as optOutCommand, runOptOut } from "../../../src/cli/agent/opt-out.ts"
import { type Command, type Input, readInput } from "../../../src/cli/command.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { type Signer, signedAnswer } from "../../../src/core/signer.ts"
import { type AgentService, agentService } from "../../agent-mode/agent-service.ts"
import { testKey } from "../../fixtures/buyers.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { BASE_URL } from "../../fixtures/service.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(20_000)

const folder = freshDirectory()
const at = (name: string) => join(folder.path, name)
let service: AgentService
let genuine: Signer
let printed = ""
const terminal = {
  out: (text: string) => {
    printed += text
  },
  err: () => {},
  environment: {},
}

beforeAll(async () => {
  service = await agentService({ agent_mode_planning: "on", intent_beacon: "on" })
  genuine = service.service.keys.current()
  await keygen.run(readInput(keygen, ["--out", at("agent.json")], terminal))
  await runEnrol(readInput(enroll, ["--keys", at("agent.json"), "--server", BASE_URL], terminal), service.send)
  writeFileSync(at("draft.json"), "{}")
  writeFileSync(at("issuer.json"), await (await service.send(new Request(BASE_URL + getServiceJwks.path))).text())
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

interface Asking {
  readonly name: string
  readonly command: Command
  readonly run: (input: Input, send: Send, machine: Machine) => Promise<number>
  readonly flags: () => string[]
  /** Member of the answer that is signed; null: the answer itself. */
  readonly signed: string | null
}

const signer = () => ["--keys", at("agent.json"), "--server", BASE_URL]
const COMMANDS: readonly Asking[] = [
  {
    name: "agent dialogue",
    command: dialogueCommand,
    run: runDialogue,
    flags: () => [...signer(), "--topic", "PRICE"],
    signed: null,
  },
  {
    name: "agent plan",
    command: planCommand("agent plan", "preflight", ""),
    run: (input, send, machine) => runPlan(input, "preflight", send, machine),
    flags: () => ["--server", BASE_URL, "--intent", "READ_US_SOURCE_HEALTH", "--request", at("draft.json")],
    signed: null,
  },
  {
    name: "agent beacon consent",
    command: consentCommand,
    run: runConsent,
    flags: () => [...signer(), "--consent", `consent-${crypto.randomUUID()}`, "--channels", "http-api"],
    signed: "receipt",
  },
  {
    name: "agent opt-out",
    command: optOutCommand,
    run: runOptOut,
    flags: () => [...signer(), "--channel", "mcp"],
    signed: "receipt",
  },
]

// biome-ignore lint/suspicious/noExplicitAny: answers of many kinds are edited
type Any = any

/** The exit of a command whose service sends changed answers. `keys` replaces the published key set. */
async function exitOf(asking: Asking, edit: (statement: Any) => Any, more: string[] = [], keys?: object) {
  const send: Send = async (request) => {
    const { pathname } = new URL(request.url)
    const answer = await service.send(request)
    if (pathname === getServiceJwks.path) return keys ? Response.json(keys) : answer
    const body = (await answer.json()) as Any
    const { signed } = asking
    const changed = signed === null ? edit(body) : { ...body, [signed]: edit(body[signed]) }
    return Response.json(changed, { status: answer.status })
  }
  printed = ""
  const input = readInput(asking.command, [...asking.flags(), ...more], terminal)
  try {
    return await asking.run(input, send, { ...realMachine, now: service.clock.now })
  } catch (error) {
    if (error instanceof CommandError) return error.exit
    throw error
  }
}

const foreign = testKey("svc", 88)
const foreignJwk = () => ({
  kty: "OKP",
  crv: "Ed25519",
  x: foreign.x,
  kid: foreign.keyId,
  alg: "EdDSA",
  use: "sig",
  svc_use: "statement",
  svc_status: "ACTIVE",
  nbf: 0,
  exp: 4_000_000_000,
})

describe.each(COMMANDS.map((asking) => [asking.name, asking] as const))("%s", (_name, asking) => {
  test("a genuine answer is taken, with the published keys and with those of a file", async () => {
    expect(await exitOf(asking, (statement) => statement)).toBe(EXIT.DONE)
    expect(await exitOf(asking, (statement) => statement, ["--issuer", at("issuer.json")])).toBe(EXIT.DONE)
    expect(printed).not.toBe("")
  })

  const FORGED: readonly (readonly [string, number, (statement: Any) => Any])[] = [
    [
      "signed by another key that names the service's",
      EXIT.INVALID,
      ({ payload }) => {
        const made = signedAnswer(foreign, payload)
        return { ...made, signature: { ...made.signature, key_id: genuine.keyId } }
      },
    ],
    ["signed by a key that is not published", EXIT.NOT_CHECKED, ({ payload }) => signedAnswer(foreign, payload)],
    [
      "with a signature of zeros",
      EXIT.INVALID,
      (statement) => ({ ...statement, signature: { ...statement.signature, value: "A".repeat(86) } }),
    ],
    ["with another digest", EXIT.INVALID, (statement) => ({ ...statement, digest: digestOf("another") })],
    [
      "of another request, though the service signed it",
      EXIT.INVALID,
      ({ payload }) => {
        const member = ["in_reply_to", "request_digest"].find((name) => name in payload) ?? ""
        return signedAnswer(genuine, { ...payload, [member]: digestOf("another request") })
      },
    ],
    ["without its signature", EXIT.NOT_CHECKED, ({ payload, digest }) => ({ payload, digest })],
  ]
  test.each(FORGED)("an answer %s is not relied on", async (_what, exit, forge) => {
    expect(await exitOf(asking, forge)).toBe(exit)
    expect(printed).toBe("")
  })

  test("a server that publishes its forger's key is found out with the keys of a file", async () => {
    const keys = { keys: [foreignJwk()] }
    const forge = ({ payload }: Any) => signedAnswer(foreign, payload)
    expect(await exitOf(asking, forge, [], keys)).toBe(EXIT.DONE)
    expect(await exitOf(asking, forge, ["--issuer", at("issuer.json")], keys)).toBe(EXIT.NOT_CHECKED)
  })

  test("a revoked or expired key, and a server without keys, prove nothing", async () => {
    const published = (await (await service.send(new Request(BASE_URL + getServiceJwks.path))).json()) as Any
    const every = (change: object) => ({ keys: published.keys.map((key: object) => ({ ...key, ...change })) })
    const asIs = (statement: Any) => statement
    expect(await exitOf(asking, asIs, [], every({ svc_status: "REVOKED" }))).toBe(EXIT.INVALID)
    expect(await exitOf(asking, asIs, [], every({ exp: 1 }))).toBe(EXIT.INVALID)
    expect(await exitOf(asking, asIs, [], { nothing: true })).toBe(EXIT.NOT_CHECKED)
  })
})

test("a service that cannot sign now says so, and its answer without a receipt proves nothing", async () => {
  const leaving = COMMANDS.find(({ name }) => name === "agent opt-out") as Asking
  expect(await exitOf(leaving, () => null)).toBe(EXIT.NOT_CHECKED)
  expect(printed).toBe("OPTED_OUT  mcp  without a receipt: the service says so, and nothing proves it\n")
  expect(await exitOf(leaving, () => null, ["--json"])).toBe(EXIT.NOT_CHECKED)
  expect(JSON.parse(printed)).toMatchObject({ answer: { status: "OPTED_OUT", receipt: null } })
})

test("a dialogue's offers are each signed by the service, for this agent", async () => {
  const [dialogue] = COMMANDS as [Asking]
  const { agent_id: agentId } = JSON.parse(await Bun.file(at("agent.json")).text()) as { agent_id: string }
  const id = `ofr_${"a".repeat(22)}`
  const offer = (audience: string) => ({
    domain: "svc.sales.offer.v1",
    schema_version: "1.0.0",
    issuer: "svc",
    environment: "test",
    offer_capsule_id: id,
    audience,
    product_id: "us.company.check.v1",
    operation_id: "us_company_check",
    method: "POST",
    uri: `${BASE_URL}/v1/us/company-check`,
    price: { amount: "0.04", amount_atomic: "40000", asset: "USDC", network: "eip155:8453", scheme: "exact" },
    terms_digest: digestOf("terms"),
    purchase_idempotency_key: id,
    status_uri: `${BASE_URL}/v1/agent-mode/sales/offers/${id}/status`,
    dialogue_id: "dialogue-1",
    reservation: false,
    valid_from: "2026-01-01T00:00:00.000Z",
    valid_until: "2026-01-02T00:00:00.000Z",
    limitations: [],
  })
  const withOffer = (capsule: object) => (statement: Any) =>
    signedAnswer(genuine, { ...statement.payload, offers: [capsule] })
  expect(await exitOf(dialogue, withOffer(signedAnswer(genuine, offer(agentId))))).toBe(EXIT.DONE)
  const forged = { ...signedAnswer(foreign, offer(agentId)), signature: signedAnswer(genuine, {}).signature }
  expect(await exitOf(dialogue, withOffer(forged))).toBe(EXIT.INVALID)
  const another = `svc:agent:${"B".repeat(32)}`
  expect(await exitOf(dialogue, withOffer(signedAnswer(genuine, offer(another))))).toBe(EXIT.INVALID)
})

test("the plan of another route is not the answer", async () => {
  const plan = COMMANDS[1] as Asking
  const other = ({ payload }: Any) => signedAnswer(genuine, { ...payload, operation: planningOperations.routes.id })
  expect(await exitOf(plan, other)).toBe(EXIT.INVALID)
})
