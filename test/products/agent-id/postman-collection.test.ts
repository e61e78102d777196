import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import Ajv from "ajv"
import { PostmanCollection } from "../../../schemas/agent-id/postman.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { signWith } from "../../../src/core/ed25519.ts"
import { compile } from "../../../src/http/read-body.ts"
import { makeAgentKeys, type TestAgentKeys } from "../../fixtures/agent.ts"
import { runCollection } from "../../fixtures/newman.ts"
import { type ServedService, servedService } from "../../fixtures/served.ts"

let served: ServedService
let collection: PostmanCollection
beforeAll(async () => {
  served = await servedService()
  collection = (await (await fetch(`${served.origin}/v1/agent-id/postman-collection`)).json()) as PostmanCollection
})
afterAll(() => served[Symbol.asyncDispose]())

test("the collection is canonical JSON of the declared shape", async () => {
  const answer = await fetch(`${served.origin}/v1/agent-id/postman-collection`)
  expect(answer.headers.get("content-type")).toBe("application/json")
  expect(answer.headers.get("access-control-allow-origin")).toBe("*")
  expect(await answer.text()).toBe(canonicalize(collection))
  expect([...compile(PostmanCollection).Errors(collection)]).toEqual([])
})

const folder = process.env["BIZAUTH_VECTORS"]
if (!folder) console.info("skipped: Postman's published schema is read only when BIZAUTH_VECTORS names its folder")
test.skipIf(!folder)("Postman's own schema of collection 2.1 accepts it, and rejects other documents", async () => {
  const published = await Bun.file(join(folder ?? "", "schemas/postman/collection.v2.1.0.schema.json")).json()
  const accepts = new Ajv({ strict: false, allErrors: true }).compile(published)
  expect([accepts(collection), accepts.errors]).toEqual([true, null])
  expect(accepts({ ...collection, item: [{ request: {} }, 5] })).toBe(false)
})

test("the collection contains no credential and no private key: the caller's variables are blank, and none asks for a private half", () => {
  const filled = collection.variable.filter(({ value }) => value !== "").map(({ key }) => key)
  expect(filled).toEqual(["base_url", "payload_to_sign"])
  expect(collection.variable.map(({ key }) => key).join(" ")).not.toMatch(/private|secret|seed|token|password|api_key/)
  expect(JSON.stringify(collection.item)).not.toMatch(/"auth"|authorization|"d"\s*:|private_key/i)
})

test("every variable that a request or script reads is declared", () => {
  const text = JSON.stringify(collection.item)
  const read = [...text.matchAll(/\{\{([a-z_]+)\}\}|pm\.variables\.get\(\\"([a-z_]+)\\"\)/g)].map((m) => m[1] ?? m[2])
  const declared = new Set(collection.variable.map(({ key }) => key))
  expect(read.length).toBeGreaterThan(10)
  expect(read.filter((key) => !declared.has(key ?? ""))).toEqual([])
})

describe("newman runs the collection twice, and the caller signs between the runs", () => {
  const publicHalves = ({ operational, recovery }: TestAgentKeys) => ({
    operational_public_key: operational.x,
    recovery_public_key: recovery.x,
  })
  const signatures = (keys: TestAgentKeys, printed: Readonly<Record<string, string>>) => ({
    operational_signature: signWith(keys.operational.privateKey, printed["challenge_to_sign"] ?? ""),
    recovery_signature: signWith(keys.recovery.privateKey, printed["challenge_to_sign"] ?? ""),
    payload_signature: signWith(keys.operational.privateKey, payloadToSign()),
  })
  const payloadToSign = () => collection.variable.find(({ key }) => key === "payload_to_sign")?.value ?? ""

  test("the runs enrol an identity, read it, pass every assertion, and call only this service", async () => {
    const keys = makeAgentKeys()
    const first = await runCollection(collection, publicHalves(keys))
    expect(first.failures).toEqual([])
    expect(first.sent).toEqual(["Product descriptor 200", "Bootstrap 200", "Ask for a challenge 201"])
    const second = await runCollection(collection, { ...first.exported, ...signatures(keys, first.exported) })
    expect(second.failures).toEqual([])
    expect(second.sent).toEqual([
      "Prove both keys 200",
      "Profile 200",
      "Status 200",
      "Public keys 200",
      "Verify a signature 200",
    ])
    expect(second.assertions).toBeGreaterThanOrEqual(12)
    expect([...first.hosts, ...second.hosts]).toEqual(Array(2).fill(new URL(served.origin).host))
    const profile = await fetch(`${served.origin}/v1/agent-identities/${second.exported["agent_id"]}`)
    expect(profile.status).toBe(200)
  })

  test("a signature by another key fails its assertions and creates no identity", async () => {
    const keys = makeAgentKeys()
    const first = await runCollection(collection, publicHalves(keys))
    const second = await runCollection(collection, {
      ...first.exported,
      ...signatures(makeAgentKeys(), first.exported),
    })
    expect(second.sent[0]).toBe("Prove both keys 422")
    expect(second.failures.length).toBeGreaterThan(0)
    expect(second.exported["agent_id"] ?? "").toBe("")
  })

  test("without public keys the first run reports the mistake", async () => {
    const run = await runCollection(collection, {})
    expect(run.sent.at(-1)).toBe("Ask for a challenge 422")
    expect(run.failures.length).toBeGreaterThan(0)
  })
})
