/** A client that is made from the published documents alone signs and drives every signed route of a running program. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { type Running, run } from "../../fixtures/binary.ts"
import { DEV_ACCOUNTS } from "../../fixtures/chain.ts"
import { importsOf } from "../../fixtures/imports.ts"
import { openTestOperator, type TestOperator } from "../../fixtures/test-operator.ts"
import { digestOf, draw, EdgeClient, instant, type Json, makeKey } from "./edge-client.ts"
import { jobBinding, jobRequirement } from "./edge-job.ts"
import {
  changeKeys,
  delegation,
  draftDecision,
  type EdgeAgent,
  type EdgeOrganization,
  enrol,
  enrolmentRequest,
  mandateFor,
  message,
  recovery,
  signedDecision,
  signedRequest,
  spoiled,
  vendorChange,
} from "./edge-party.ts"

setDefaultTimeout(60_000)

const { payer } = DEV_ACCOUNTS
const PROVIDER = `0x${"22".repeat(20)}`
const ORGANIZATION: EdgeOrganization = { id: "org:edge", digest: digestOf({ name: "Edge Inc." }), key: makeKey() }

let operator: TestOperator
let server: Running
let client: EdgeClient
/** Requests decisions. It rotated its key once. */
let agent: EdgeAgent
/** Asks for changes of payment details. */
let changer: EdgeAgent
let delegated: Json
let bought: Json
let delivery: string
/** Forms of which a wrong signature was refused by name. */
const refused = new Set<string>()

beforeAll(async () => {
  operator = await openTestOperator()
  server = await operator.serve(["--intent-beacon", "on"])
  client = await EdgeClient.open(server.origin)
  await enterOrganization()
})
afterAll(() => operator[Symbol.asyncDispose]())

/** The operator's part, which no client can do. */
async function enterOrganization(): Promise<void> {
  const file = operator.path("edge.pub")
  writeFileSync(file, JSON.stringify(ORGANIZATION.key.jwk))
  const { exit, err } = await run([
    ...["buyers", "add", "--data", operator.data, "--organization", ORGANIZATION.id, "--legal-name", "Edge Inc."],
    ...["--digest", ORGANIZATION.digest, "--mandate-key", file, "--tolerance", "HIGH"],
    ...["--verification-method", "IN_PERSON", "--verification-reference", "case-2", "--verified-by", "operator-1"],
    ...["--verified-at", instant(-86_400), "--valid-until", instant(30 * 86_400)],
  ])
  expect([exit, err]).toEqual([0, ""])
}

async function done(answer: Response): Promise<Json> {
  const body = (await answer.json()) as Json
  expect({ status: answer.status, body }).toMatchObject({ status: answer.status < 300 ? answer.status : 200 })
  return body
}

/** A wrong signature: the problem names the form and where its rules are, and repeats nothing that was sent. */
async function expectForm(answer: Response, form: string, sent: string): Promise<void> {
  refused.add(form)
  const text = await answer.text()
  const uri = `${server.origin}/v1/agent/signed-forms#${form}`
  expect({ form, problem: JSON.parse(text) }).toMatchObject({ problem: { signed_form: { name: form, uri } } })
  expect(text).not.toContain(sent)
}

test("the client imports nothing of the program", () => {
  for (const file of ["edge-client.ts", "edge-job.ts", "edge-party.ts"]) {
    const local = importsOf(`test/scenarios/edges/${file}`).filter(({ to }) =>
      /^(src|schemas|db|scripts|test)\//.test(to),
    )
    expect(local.map(({ to }) => to).filter((to) => to !== "test/scenarios/edges/edge-client.ts")).toEqual([])
  }
})

test("it enrols and rotates", async () => {
  const keys = [makeKey(), makeKey(), makeKey()] as const
  const request = enrolmentRequest(...keys)
  const roles = { OPERATIONAL: keys[0], RECOVERY: keys[1] }
  await expectForm(await changeKeys(client, request, roles, true), "KEY_EVENT", keys[0].keyId.slice(9, 40))
  const first = await enrol(client)
  changer = await enrol(client)
  const next = makeKey()
  const rotation = {
    purpose: "ROTATION",
    agent_id: first.agentId,
    target: "OPERATIONAL",
    mode: "ROUTINE",
    new_public_jwk: first.next.jwk,
    next_operational_key_digest: digestOf(next.jwk),
  }
  const rotated = await changeKeys(client, rotation, { OPERATIONAL: first.operational, NEW_OPERATIONAL: first.next })
  expect(await done(rotated)).toMatchObject({ result: "ROTATED" })
  agent = { ...first, operational: first.next, next }
})

test("it delegates for its organization, and says who the supplier is", async () => {
  const body = delegation(client, ORGANIZATION, agent, "SIGN_REQUEST")
  const { signature } = body as { signature: { value: string } }
  const wrong = { ...body, signature: { ...signature, value: spoiled(signature.value) } }
  await expectForm(await client.post("enroll_buyer_delegation", wrong), "DELEGATION", spoiled(signature.value))
  delegated = await done(await client.post("enroll_buyer_delegation", body))
  const change = delegation(client, ORGANIZATION, changer, "AUTHORIZE_DESTINATION_CHANGE")
  await done(await client.post("enroll_buyer_delegation", change))
  const statement = {
    schema_version: "1.0.0",
    domain: "svc.supplier-identity.v1",
    audience: server.origin,
    organization_id: ORGANIZATION.id,
    action: "LINK",
    keys: ["cage:1ABC2"],
    names: [],
    entity_ids: [],
    issued_at: instant(),
    valid_until: instant(3600),
    nonce: draw(),
  }
  const apply = async (content: Json) => {
    const file = operator.path("supplier.json")
    writeFileSync(file, JSON.stringify(content))
    return run(["buyers", "supplier", file, "--data", operator.data, "--base-url", server.origin])
  }
  const signed = client.signedBody("SUPPLIER_IDENTITY", statement, ORGANIZATION.key, ORGANIZATION.id)
  const { exit, err } = await apply({ ...signed, nonce: draw() })
  expect([exit, err.includes("/v1/agent/signed-forms#SUPPLIER_IDENTITY")]).toEqual([3, true])
  refused.add("SUPPLIER_IDENTITY")
  expect((await apply(signed)).exit).toBe(0)
})

test("it signs mandate and request, buys a Payment Decision with a viem account, and recovers it byte for byte", async () => {
  const draft = await draftDecision(client, ORGANIZATION, agent, payer.address)
  bought = signedDecision(client, draft, ORGANIZATION, agent.operational)
  const route = "release_payment_to_supplier"

  const { request_signature } = bought["requesting_agent"] as { request_signature: string }
  const badRequest = {
    ...bought,
    requesting_agent: { ...(bought["requesting_agent"] as Json), request_signature: spoiled(request_signature) },
  }
  await expectForm(await client.post(route, badRequest), "DECISION_REQUEST", spoiled(request_signature))
  const mandate = mandateFor(client, draft, ORGANIZATION) as Json & { signature: { value: string } }
  const value = spoiled(mandate.signature.value)
  const badMandate = { ...draft, buyer_mandate: { ...mandate, signature: { ...mandate.signature, value } } }
  await expectForm(
    await client.post(route, signedRequest(client, "DECISION_REQUEST", badMandate, agent.operational)),
    "MANDATE",
    value,
  )
  const badPayee = { ...draft, payee: { ...(draft["payee"] as Json), fingerprint: digestOf("other") } }
  await expectForm(
    await client.post(route, signedDecision(client, badPayee, ORGANIZATION, agent.operational)),
    "DESTINATION_FINGERPRINT",
    digestOf("other"),
  )

  const eligibility = await done(await client.post("check_payment_decision_eligibility", bought))
  expect(JSON.stringify(eligibility)).not.toContain("REFUSED")
  const answer = await client.buy(route, bought, payer)
  delivery = await answer.text()
  expect({ status: answer.status, delivery: JSON.parse(delivery) }).toMatchObject({
    status: 200,
    delivery: { decision: "ALLOW" },
  })

  const wanted = recovery(client, bought, agent.operational)
  const authentication = wanted["authentication"] as { signature: string }
  const wrong = { ...wanted, authentication: { ...authentication, signature: spoiled(authentication.signature) } }
  await expectForm(await client.post("recover_payment_decision", wrong), "RECOVERY", spoiled(authentication.signature))
  const recovered = await client.post("recover_payment_decision", wanted)
  expect([recovered.status, await recovered.text()]).toEqual([200, delivery])
})

test("it changes a vendor's detail, redeems a token, and revokes another one", async () => {
  const route = "us_vendor_payment_detail_change_authorize"
  const body = await vendorChange(client, ORGANIZATION, changer)
  const { request_signature } = body["requesting_agent"] as { request_signature: string }
  const wrong = {
    ...body,
    requesting_agent: { ...(body["requesting_agent"] as Json), request_signature: spoiled(request_signature) },
  }
  await expectForm(await client.post(route, wrong), "VENDOR_CHANGE", spoiled(request_signature))
  await done(await client.post(`${route}_eligibility`, body))
  const { result } = (await done(await client.buy(route, body, payer))) as { result: Json }
  const token = result["authorization_token"]
  const held = { schema_version: "1.0.0", token }
  expect(await done(await client.post("status_us_authorization_token", held))).toMatchObject({ token_state: "ISSUED" })
  const binding = {
    supplier_key: result["supplier_key"],
    wallet: payer.address,
    current_payee_fingerprint: null,
    proposed_payee_fingerprint: result["proposed_payee_fingerprint"],
  }
  const redemption = { ...held, idempotency_key: draw(), binding }
  expect(await done(await client.post("redeem_us_authorization_token", redemption))).toMatchObject({
    token_state: "SPENT",
  })

  const other = await vendorChange(client, ORGANIZATION, changer)
  const second = (await done(await client.buy(route, other, payer))) as { result: Json }
  const revocation = { schema_version: "1.0.0", token: second.result["authorization_token"], idempotency_key: draw() }
  const revoked = await client.post("revoke_us_authorization_token", { ...revocation, reason: "CHANGE_WITHDRAWN" })
  expect(await done(revoked)).toMatchObject({ token_state: "REVOKED" })
})

test("it signs statements and HTTP requests", async () => {
  const statement = {
    schema_version: "1.0.0",
    domain: "svc.agent-signature.v1",
    agent_id: agent.agentId,
    key_id: agent.operational.keyId,
    canonicalization: "SVC-C14N-JSON-1",
    audience: "https://relying-party.example",
    action_type: "example.order.confirm",
    context: {},
    payload_digest: digestOf({ order: 7 }),
    nonce: draw(),
    issued_at: instant(),
    expires_at: instant(240),
    algorithm: "Ed25519",
  }
  const signature = client.sign("SIGNATURE_STATEMENT", statement, agent.operational)
  const verification = { schema_version: "1.0.0", statement, payload: { order: 7 }, signature }
  expect(await done(await client.post("VerifyAgentSignature", verification))).toMatchObject({
    outcomes: { cryptographic: { outcome: "VALID" } },
  })
  // A wrong signature is an outcome here and no refusal: to judge it is what the route is for.
  const wrong = { ...verification, signature: spoiled(signature) }
  expect(await done(await client.post("VerifyAgentSignature", wrong))).toMatchObject({
    outcomes: { cryptographic: { outcome: "INVALID" } },
  })
  const bare = {
    schema_version: "1.0.0",
    profile: "PAYLOAD_ONLY",
    agent_id: agent.agentId,
    key_id: agent.operational.keyId,
  }
  const reserved = { ...bare, payload: { domain: "svc.anything" }, signature }
  await expectForm(await client.post("VerifyAgentSignature", reserved), "SIGNATURE_STATEMENT", signature)
  await done(await client.post("RegisterAgentArtifact", { schema_version: "1.0.0", statement, signature }))

  const common = { schema_version: "1.0.0", contract_version: "1.0.0", environment: "LIVE" }
  const filter = { artifact_types: [], validity: "ANY", issuer: null }
  const inventory = { ...common, filter, page: { limit: 10, cursor: null } }
  const { agentId, operational } = agent
  await done(await client.postSigned("get_proof_wallet_inventory", inventory, agentId, operational))
  const artifact = { artifact_type: "PROOF_CAPSULE", document: (JSON.parse(delivery) as Json)["proof_capsule"] }
  const retention = { mode: "DIGEST_ONLY", until: instant(86_400) }
  const kept = { ...common, idempotency_key: draw(), artifact, retention }
  await done(await client.postSigned("import_proof_wallet_artifact", kept, agentId, operational))
  const stranger = await client.postSigned("get_proof_wallet_inventory", inventory, agentId, makeKey())
  await expectForm(stranger, "AGENT_REQUEST", agentId)
})

test("it talks to sales and the Intent Beacon, and leaves them", async () => {
  const [dialogue, consent] = [`dialogue-${draw(6)}`, `consent-${draw(6)}`]
  const beacon = { scopes: ["INTENT_BEACON"], consent_id: consent }
  const turn = {
    ...{ domain: "svc.sales.dialogue.v1", scopes: ["SALES_DIALOGUE"], dialogue_id: dialogue, turn: 0 },
    ...{ in_reply_to: null, channel: "http-api", topic: "PRICE", product_ids: ["us.company.check.v1"] },
    ...{ questions: [{ question_code: "LIST_PRICE", product_id: null }], constraints: null, acknowledged_offers: [] },
  }
  const granted = {
    ...{ ...beacon, domain: "svc.beacon.consent.v1", purpose: "INTENT_BEACON", event_kinds: ["INTENT_OPENED"] },
    ...{ channels: ["http-api"], policy_version: "1.0.0", valid_from: instant(), valid_until: instant(86_400) },
    max_events_per_day: 10,
  }
  const event = {
    ...{ ...beacon, domain: "svc.beacon.event.v1", event_id: `event-${draw(6)}`, event_kind: "INTENT_OPENED" },
    ...{ product_id: null, channel: "http-api", occurred_at: instant() },
  }
  const leaving = {
    domain: "svc.sales.opt-out.v1",
    scopes: ["SALES_OPT_OUT"],
    scope: "ALL",
    product_id: null,
    channel: null,
  }
  const rows: readonly (readonly [form: string, operation: string, members: Json])[] = [
    ["SALES_DIALOGUE", "hold_agent_dialogue", turn],
    ["BEACON_CONSENT", "grant_intent_beacon_consent", granted],
    ["BEACON_EVENT", "accept_intent_beacon_event", event],
    ["BEACON_REVOCATION", "revoke_intent_beacon_consent", { ...beacon, domain: "svc.beacon.revocation.v1" }],
    ["SALES_OPT_OUT", "opt_out_of_agent_sales", leaving],
  ]
  for (const [form, operation, members] of rows) {
    const body = message(client, form, agent, members)
    const signature = body["signature"] as { value: string }
    const wrong = { ...body, signature: { ...signature, value: spoiled(signature.value) } }
    const parameters = { consentId: consent }
    await expectForm(await client.post(operation, wrong, parameters), form, spoiled(signature.value))
    await done(await client.post(operation, body, parameters))
  }
})

test("it binds a job as the published module does", async () => {
  const key = agent.operational
  const requirement = jobRequirement(bought, PROVIDER)
  const binding = jobBinding(requirement, { jobId: "42", client: payer.address, provider: PROVIDER })
  const file = join(operator.folder, "buyer-signing.mjs")
  writeFileSync(file, await (await fetch(client.url("get_buyer_signing_module"))).text())
  const module = (await import(pathToFileURL(file).href)) as { bindRequirement: (...args: unknown[]) => Json }
  const job = { onChainJobId: "42", chainId: 8453, clientAddress: payer.address, providerAddress: PROVIDER }
  const final = module.bindRequirement(requirement, job, key.privateKey)
  expect(final["buyer_authorization"]).toEqual({
    algorithm: "Ed25519",
    signature: client.sign("JOB_BINDING", binding, key),
  })
})

test("it revokes a mandate, its delegation and the agent", async () => {
  const { payload, mandate_digest } = bought["buyer_mandate"] as { payload: Json; mandate_digest: string }
  const { payload: record } = delegated as { payload: { delegation_id: string } }
  const common = { schema_version: "1.0.0", audience: server.origin, organization_id: ORGANIZATION.id, reason: "done" }
  const rows: readonly (readonly [form: string, operation: string, members: Json])[] = [
    [
      "MANDATE_REVOCATION",
      "revoke_buyer_mandate",
      { domain: "svc.mandate-revocation.v1", mandate_id: payload["mandate_id"], mandate_digest },
    ],
    [
      "DELEGATION_REVOCATION",
      "revoke_buyer_delegation",
      { domain: "svc.delegation-revocation.v1", delegation_id: record.delegation_id },
    ],
  ]
  for (const [form, operation, members] of rows) {
    const body = { ...common, ...members, issued_at: instant(), nonce: draw() }
    const signed = client.signedBody(form, body, ORGANIZATION.key, ORGANIZATION.id)
    const signature = signed["signature"] as { value: string }
    const wrong = { ...signed, signature: { ...signature, value: spoiled(signature.value) } }
    const parameters = { delegationId: record.delegation_id }
    await expectForm(await client.post(operation, wrong, parameters), form, spoiled(signature.value))
    await done(await client.post(operation, signed, parameters))
  }
  const request = { purpose: "REVOCATION", agent_id: agent.agentId, target: "IDENTITY", mode: "RECOVERY" }
  const revoked = await changeKeys(
    client,
    { ...request, reason: "CESSATION_OF_OPERATION" },
    { RECOVERY: agent.recovery },
  )
  expect(await done(revoked)).toMatchObject({ result: "REVOKED" })
  // Now the organization itself recovers what its agent bought.
  const recovered = await client.post("recover_payment_decision", recovery(client, bought, ORGANIZATION.key))
  expect([recovered.status, await recovered.text()]).toEqual([200, delivery])
})

test("every route that takes a signature of a caller was driven", () => {
  const { forms, http_forms } = client.published
  const signed = Object.values(forms).filter(({ carrier }) => carrier === "HTTP_REQUEST_BODY")
  const operations = [...signed, ...Object.values(http_forms), forms["KEY_EVENT"], forms["JOB_BINDING"]].flatMap(
    (form) => form?.operations ?? [],
  )
  expect(operations.length).toBeGreaterThan(20)
  expect(operations.filter((id) => !client.called.has(id))).toEqual([])
  // The refusals of a job binding, of a review record and of a list manifest are messages of the hub, of the review and of the import, with tests of
  // their own.
  const byCaller = Object.entries(forms).filter(
    ([, { signers }]) => !signers.some((name) => name.startsWith("SERVICE_")),
  )
  const names = [...byCaller.map(([name]) => name), ...Object.keys(http_forms)]
  expect(names.filter((name) => !refused.has(name))).toEqual(["JOB_BINDING", "REVIEW_RECORD", "SNAPSHOT_MANIFEST"])
})
