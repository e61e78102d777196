/**
 * Floods of enrolments, registrations, messages and opt-outs at a running server, from 2 addresses, 200 identities and 200 addresses. After
 * each a new address and a leaver get through, and at the end a buyer pays and gets the decision. The whole of a cap is used through the
 * gate itself on the same database, as another process of the service uses it; the calls around it go over HTTP and mail.
 */
import { Database } from "bun:sqlite"
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, statSync } from "node:fs"
import { openDatabase } from "../../../db/open.ts"
import type { AgentIdentityChallenge } from "../../../schemas/agent-id/challenge.ts"
import { dataPaths } from "../../../src/data/data-paths.ts"
import { SqliteStore } from "../../../src/store/engine/sqlite/sqlite-store.ts"
import { freeBytes, freeWriteFloor, MEGABYTE } from "../../../src/store/free-writes/free-disk.ts"
import { SHARED_CAPS, type SharedCapName } from "../../../src/store/free-writes/shared-caps.ts"
import { CHANNEL_PATH, INTENT } from "../../contact/contact-service.ts"
import { mailSettingsOf } from "../../contact/mail/mail-settings.ts"
import { sendIn, written } from "../../contact/mail/send-in.ts"
import { type SmtpSink, smtpSink } from "../../contact/mail/smtp-sink.ts"
import { enrolmentRequest, makeAgentKeys, proofOf, type TestAgentKeys } from "../../fixtures/agent.ts"
import { type Running, run } from "../../fixtures/binary.ts"
import { admitAll, freeWriter } from "../../fixtures/free-writes.ts"
import { metricsAt } from "../../fixtures/metrics.ts"
import { signedStatement } from "../../fixtures/signed-statement.ts"
import { openTestOperator, paymentFor, present, SCENARIO_MS, type TestOperator } from "../../fixtures/test-operator.ts"
import { until } from "../../fixtures/until.ts"
import { CHALLENGES, proofBy, revocation } from "../../products/agent-id/key-changes.ts"
import { provePath } from "../../products/agent-id/service.ts"

setDefaultTimeout(4 * SCENARIO_MS)

const FLOOR_MB = 50
const ARTIFACTS = "/v1/agent-id/artifacts"

let operator: TestOperator
let server: Running
let sink: SmtpSink
let socketPath: string
beforeAll(async () => {
  operator = await openTestOperator()
  sink = await smtpSink()
  const mail = mailSettingsOf(operator.folder, sink.port)
  socketPath = mail.mail_in_socket
  const flags = Object.entries(mail).flatMap(([name, value]) => [`--${name.replaceAll("_", "-")}`, value])
  const proxied = [
    "--trusted-proxies",
    "127.0.0.1",
    "--rate-limits",
    "off",
    "--disk-free-min-mb",
    String(FLOOR_MB),
    "--admin-listen",
    "127.0.0.1:0",
  ]
  server = await operator.serve([...flags, ...proxied])
  await until("the socket of mail is open", () => existsSync(socketPath))
})
afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})

const post = (path: string, body: unknown, client: string) =>
  fetch(server.origin + path, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": client },
    body: JSON.stringify(body),
  })

interface Agent {
  readonly keys: TestAgentKeys
  readonly agentId: string
}

/** The status of the last call of an enrolment, and the agent. */
async function enrol(client: string): Promise<Agent & { readonly status: number }> {
  const keys = makeAgentKeys()
  const issued = await post(CHALLENGES, enrolmentRequest(keys), client)
  if (issued.status !== 201 && issued.status !== 200) return { keys, agentId: "", status: issued.status }
  const challenge = (await issued.json()) as AgentIdentityChallenge
  const proved = await post(provePath(challenge), proofOf(challenge, keys), client)
  const { agent_id: agentId = "" } = (await proved.json()) as { agent_id?: string }
  return { keys, agentId, status: proved.status }
}

async function revoke({ keys, agentId }: Agent, client: string): Promise<number> {
  const challenge = (await (await post(CHALLENGES, revocation(agentId), client)).json()) as AgentIdentityChallenge
  const signers = { OPERATIONAL: keys.operational, RECOVERY: keys.recovery }
  return (await post(provePath(challenge), proofBy(challenge, signers), client)).status
}

const register = async ({ keys, agentId }: Agent, client: string) =>
  (await post(ARTIFACTS, signedStatement({ agentId, operational: keys.operational }, Date.now()), client)).status
const stop = async (mailbox: string, client: string) =>
  (await post(CHANNEL_PATH, { action: "STOP", reply_to: mailbox }, client)).status
const mailed = async (mailbox: string, client: string) =>
  (await post(CHANNEL_PATH, { intent: INTENT, reply_to: mailbox }, client)).status
const mailIn = (from: string, body: object) => sendIn(socketPath, written({ from, body: { ...body, reply_to: from } }))
const hasLeft = (mailbox: string) => {
  using database = new Database(dataPaths(operator.data).database, { readonly: true })
  return database.query("SELECT 1 FROM contact_stop WHERE mailbox = ?").get(mailbox) !== null
}
const messagesTo = (mailbox: string) => sink.mails.filter(({ to }) => to.includes(mailbox)).length

const FLOODED = ["ENROLMENTS", "ARTIFACTS", "MAILS_OVER_HTTP", "STOPS_UNPROVED"] as const

/** Uses the caps as callers at these addresses do who call until nothing is admitted. */
async function useUp(of: (n: number) => { readonly client: string; readonly agent: string }): Promise<void> {
  const database = openDatabase(dataPaths(operator.data).database)
  const store = new SqliteStore(database, (error) => {
    throw error
  })
  const call = (name: SharedCapName, n: number) => {
    const { client, agent } = of(n)
    return { name, writer: freeWriter(Date.now(), { client }), counted: name === "ARTIFACTS" ? { agent } : {} }
  }
  for (const name of FLOODED) {
    const size = Math.min(1.2 * SHARED_CAPS[name].max, 24_000)
    const admitted = await admitAll(
      store,
      Array.from({ length: size }, (_, n) => call(name, n)),
    )
    expect([name, admitted.slice(-200).includes(true)]).toEqual([name, false])
  }
  await store.close()
}

const FLOODS = [
  ["2 addresses", (n: number) => ({ client: `203.0.113.${n % 2}`, agent: `svc:agent:${n}` })],
  ["200 identities", (n: number) => ({ client: `203.0.113.${n % 4}`, agent: `svc:agent:${n % 200}` })],
  ["200 addresses", (n: number) => ({ client: `203.0.113.${n % 200}`, agent: `svc:agent:${n}` })],
] as const

test.each(FLOODS)(
  "after floods from %s a new address, a leaver and a mailbox that writes get through",
  async (name, of) => {
    const at = FLOODS.findIndex(([flood]) => flood === name)
    const [newcomer, other] = [`198.51.100.${2 * at}`, `198.51.100.${2 * at + 1}`]
    const holder = await enrol(`192.0.2.${at}`)
    expect(holder.status).toBe(200)
    await useUp(of)

    const { client: flooder } = of(0)
    expect([await stop(`flood-${at}@x.example`, flooder), await mailed(`flood-${at}@x.example`, flooder)]).toEqual([
      429, 429,
    ])
    expect([(await enrol(flooder)).status, await register(holder, flooder)]).toEqual([429, 429])

    const agent = await enrol(newcomer)
    expect([agent.status, await register(agent, newcomer)]).toEqual([200, 200])
    const leaver = `leaver-${at}@host.example`
    expect([await stop(leaver, newcomer), hasLeft(leaver)]).toEqual([200, true])
    const named = `named-${at}@host.example`
    expect(await mailed(named, other)).toBe(202)
    await until("the message to the named mailbox arrives", () => messagesTo(named) === 1)

    // An agent that holds an identity leaves from the flooded address.
    expect(await revoke(holder, flooder)).toBe(200)
    const proved = `proved-${at}@host.example`
    expect(await mailIn(proved, { action: "STOP" })).toBe(250)
    await until("the opt-out by mail counts", () => hasLeft(proved))
    const writing = `writing-${at}@host.example`
    expect(await mailIn(writing, { intent: INTENT })).toBe(250)
    await until("the challenge to the mailbox that writes arrives", () => messagesTo(writing) === 1)
  },
)

test("then a buyer pays from a flooded address, the disk stays above the floor of sales, and metrics and check show each cap", async () => {
  const signed = await operator.sign()
  const header = { ...(await paymentFor(server.origin, signed)), "x-forwarded-for": "203.0.113.0" }
  expect((await present(server.origin, signed, header)).statuses.at(-1)).toBe(200)

  expect(freeBytes(operator.data)).toBeGreaterThan(freeWriteFloor(FLOOR_MB))
  const { database } = dataPaths(operator.data)
  expect(statSync(database).size + (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0)).toBeLessThan(
    FLOOR_MB * MEGABYTE,
  )
  const metrics = await metricsAt(/"admin":"(http:[^"]+)"/.exec(server.err())?.[1] ?? "")
  const checked = await run(["check", "--data", operator.data, "--offline", "--json"])
  const { lines } = JSON.parse(checked.out) as { lines: { area: string; name: string; what: string }[] }
  const shown = lines.find(({ area, name }) => area === "shares" && name === "caps")?.what
  for (const cap of FLOODED) {
    const used = metrics.value("bizauth_shared_cap_used", { cap })
    expect([cap, used > SHARED_CAPS[cap].max / 2]).toEqual([cap, true])
    expect(shown).toContain(`${cap} ${used} of ${metrics.value("bizauth_shared_cap_max", { cap })}`)
  }
})
