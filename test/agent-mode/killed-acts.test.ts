/**
 * kill -9 in the act of each durable step of agent mode. What was not committed left nothing; what was committed is whole; and the same
 * request, sent again to a new process, gets one answer.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test"
import { cpSync } from "node:fs"
import { basename, join } from "node:path"
import { openBeside, openDatabase } from "../../db/open.ts"
import { planningOperations } from "../../schemas/agent-mode/planning-operations.ts"
import { importProofWalletArtifact } from "../../schemas/agent-mode/proof-wallet.ts"
import { formatInstant } from "../../src/core/time.ts"
import { dataPaths } from "../../src/data/data-paths.ts"
import { routes } from "../../src/server/app.ts"
import type { TestAgent } from "../fixtures/agent.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { BASE_URL, clockAt, testServiceOn } from "../fixtures/service.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { type KilledRequest, type KilledService, requestOf } from "./killed-service.ts"
import { intentBody } from "./planning/planning-service.ts"
import { consent, dialogueTurn, event, optOut, PATHS, revocation } from "./sales-test-server.ts"
import { signedCall } from "./signed-calls.ts"
import * as made from "./wallet/artifacts.ts"
import { openWallets, type Wallets } from "./wallet/wallets.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(30_000)

const settings = { rate_limits: "off", agent_mode_planning: "on", intent_beacon: "on" } as const

interface Act {
  readonly name: string
  /** The request, and what a caller without an answer sends. */
  readonly first: KilledRequest
  readonly again: readonly [KilledRequest, KilledRequest]
}

type Counts = Readonly<Record<string, number>>

const folder = freshDirectory()
let wallets: Wallets
let now: number
let acts: readonly Act[]
let before: Counts
let after: Counts

beforeAll(async () => {
  wallets = await openWallets(settings)
  now = wallets.service.clock.now()
  acts = await prepare(wallets)
  const copy = copyOf("reference")
  before = rowCounts(copy)
  const { service } = await testServiceOn(copy, clockAt(now), settings)
  const app = routes(service)
  for (const { name, first } of acts) {
    const counts = rowCounts(copy)
    const answer = await app.handle(requestOf(first))
    expect([name, answer.status < 300]).toEqual([name, true])
    // Otherwise nothing is proved of this act.
    expect([name, rowCounts(copy)]).not.toEqual([name, counts])
  }
  after = rowCounts(copy)
  await service.close()
})
afterAll(async () => {
  await wallets.service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const post = (path: string, body: unknown): KilledRequest => ({
  url: BASE_URL + path,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
})
const signerOf = ({ agentId, operational: key }: TestAgent) => ({ key, agentId, audience: BASE_URL })

/** The acts of several agents, each with what it needs. They may happen at the same time. */
async function prepare({ service, agent, other, requestOf: importOf }: Wallets): Promise<Act[]> {
  const done = async (request: KilledRequest) => {
    const answer = await service.send(requestOf(request))
    if (answer.status >= 300) throw new Error(await answer.text())
    return answer
  }
  const [leaver, counter] = [await service.enrol(), await service.enrol()]
  for (const one of [other, leaver, counter]) await done(post(PATHS.consents, consent(now, {}, signerOf(one))))
  const intent = intentBody({
    intent: "REDEEM_US_TOKEN",
    input_digests: {},
    freshness_requirements: { max_age_seconds: 60, evaluated_at: formatInstant(now) },
  })
  const ready = await done(post(planningOperations.readiness.path, intent))
  const { payload } = (await ready.json()) as { payload: { continuation: { token: string } } }
  const { token } = payload.continuation
  const url = BASE_URL + importProofWalletArtifact.path
  const body = importOf("PROOF_CAPSULE", made.decision(), { mode: "SIGNED_DOCUMENT" })
  // The signature of an HTTP message counts once, so each try has its own.
  const imported = () => signedCall(agent, { url, body, at: now })
  const offer = { topic: "OFFER_REQUEST", questions: [{ question_code: "OFFER", product_id: null }] }
  const same = (name: string, request: KilledRequest): Act => ({ name, first: request, again: [request, request] })
  return [
    { name: "wallet import", first: await imported(), again: [await imported(), await imported()] },
    same("consent", post(PATHS.consents, consent(now, {}, signerOf(agent)))),
    same("event", post(PATHS.events, event(now, {}, signerOf(counter)))),
    same("continuation use", post(planningOperations.preflight.path, { ...intent, continuation: { token } })),
    same("dialogue turn", post(PATHS.dialogue, dialogueTurn(now, offer, signerOf(agent)))),
    same("revocation", post(PATHS.revoke(), revocation(now, {}, signerOf(other)))),
    same("opt-out", post(PATHS.optOut, optOut(now, {}, signerOf(leaver)))),
  ]
}

/** A copy of the data directory, whose database is open. */
function copyOf(name: string): string {
  const copy = join(folder.path, name)
  const { directory } = wallets.service
  const { database: path } = dataPaths(directory)
  cpSync(directory, copy, { recursive: true, filter: (file) => !basename(file).startsWith(basename(path)) })
  const database = openDatabase(path)
  database.run("VACUUM INTO ?1", [dataPaths(copy).database])
  database.close()
  return copy
}

/** Rows of every table, and the ends of consents. */
function rowCounts(directory: string): Counts {
  using database = openBeside(dataPaths(directory).database)
  const tables = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
  const count = (from: string) => database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${from}`).get()?.n ?? -1
  return {
    ...Object.fromEntries(tables.map(({ name }) => [name, count(`"${name}"`)])),
    revoked: count("beacon_consent WHERE revoked_at IS NOT NULL"),
  }
}

/** Without the member that says whether the answer was given before. */
const once = (text: string) => text.replace(/"replayed":(true|false)/, "")

test.each([
  ["before the commit", "BEFORE_COMMIT"],
  ["after the commit and before the response", "AFTER_COMMIT"],
] as const)("a process that is killed %s leaves each act wholly or not at all", async (_when, killed) => {
  const directory = copyOf(killed)
  const given: KilledService = { directory, now, settings, requests: acts.map(({ first }) => first), killed }
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "killed-service.ts")], {
    stdin: Buffer.from(JSON.stringify(given)),
    stderr: "inherit",
  })
  await child.exited
  expect(child.signalCode).toBe("SIGKILL")
  const isKept = killed === "AFTER_COMMIT"
  expect(rowCounts(directory)).toEqual(isKept ? after : before)

  const { service } = await testServiceOn(directory, clockAt(now), settings)
  const app = routes(service)
  const ask = async (request: KilledRequest) => {
    const answer = await app.handle(requestOf(request))
    return { status: answer.status, text: await answer.text() }
  }
  for (const { name, again } of acts) {
    const [first, second] = [await ask(again[0]), await ask(again[1])]
    expect([name, first.status < 300]).toEqual([name, true])
    expect([name, second.status, once(second.text)]).toEqual([name, first.status, once(first.text)])
    if (!first.text.includes('"replayed":')) continue
    const marks = [first, second].map(({ text }) => text.includes('"replayed":true'))
    expect([name, ...marks]).toEqual([name, isKept, true])
  }
  await service.close()
  // Nothing was done twice. Each repeated import spends the nonce of its own signature, which counts for all and for the address.
  const nonces = (after["used_nonce"] ?? 0) + (isKept ? 2 : 1)
  expect(rowCounts(directory)).toEqual({ ...after, used_nonce: nonces, shared_use: (after["shared_use"] ?? 0) + 2 })
})
