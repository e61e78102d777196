/**
 * The measured system: the compiled program with a data directory that holds the imported sample lists and a small UK register, a buyer, a
 * local chain, one bought decision that can be recovered, one bought answer that is stored, and enrolled agents that consented to the
 * Intent Beacon.
 */

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { checkCompany } from "../../schemas/us/company-check.ts"
import { PAYMENT_DECISION_PATH } from "../../schemas/us/payment-decision.ts"
import { dataPaths } from "../../src/data/data-paths.ts"
import { REQUIRED_GB_SOURCES, REQUIRED_US_SOURCES } from "../../src/sources/records/party.ts"
import { openEngine } from "../../src/store/engine/open-engine.ts"
import type { TestAgent } from "../../test/fixtures/agent.ts"
import { buyAnswer, usBody } from "../../test/fixtures/answers.ts"
import { type Chain, DEV_ACCOUNTS, DEV_KEYS } from "../../test/fixtures/chain.ts"
import { writeSampleLists } from "../../test/fixtures/sample-lists.ts"
import { writeSampleRegister } from "../../test/fixtures/sample-uk-register.ts"
import { databaseAt } from "../../test/fixtures/test-database.ts"
import { enterBuyer, freshRequest, ORIGIN, signedHeader } from "../../test/fixtures/test-server.ts"
import { untilOpened } from "../demo/until-opened.ts"
import { grantConsents } from "./agent-mode-requests.ts"
import { enrolAgents } from "./agents.ts"
import { runToEnd, type Server, startServer } from "./processes.ts"
import { openPayers, type Payers } from "./purchases.ts"

type Request = ReturnType<typeof freshRequest>

export interface MeasuredSystem {
  readonly binary: string
  readonly data: string
  readonly flags: readonly string[]
  readonly server: Server
  readonly bought: Request
  /** Execution id of a delivered company check. */
  readonly executionId: string
  readonly agents: readonly TestAgent[]
  readonly payers: Payers
  /** Files for `bizauth verify`. */
  readonly deliveryFile: string
  readonly issuerFile: string
}

const HOUR_MS = 3_600_000

/** `base_url` is fixed, because recovery signs it and the port is unknown before the program listens. */
const FLAGS = ["--listen", "127.0.0.1:0", "--base-url", ORIGIN, "--rate-limits", "off"] as const

const AGENT_MODE_FLAGS = ["--agent-mode-planning", "on", "--intent-beacon", "on"] as const

/** An address may enrol 200 agents a day, whatever `rate_limits` is. The benchmark acts as a trusted proxy and states the addresses. */
export const IDENTITY_FLAGS = [...FLAGS, "--trusted-proxies", "127.0.0.1"] as const

/** Each consents to a thousand events a day. Together that is the warm-up and fifty rounds of 3,500 events. */
const AGENTS = 200
const ENROLLING = 8

/** `limits` are members of the buyer's delegation. */
export async function openMeasuredSystem(
  binary: string,
  folder: string,
  chain: Chain,
  limits: Record<string, unknown> = {},
): Promise<MeasuredSystem> {
  const data = join(folder, "data")
  runToEnd([binary, "init", "--data", data, "--environment", "test"])
  importLists(binary, data, folder)
  await enterParties(data, limits)
  const relayer = join(folder, "relayer.key")
  writeFileSync(relayer, DEV_KEYS[1], { mode: 0o600 })
  const payments = ["--payments", "test", "--rpc-url", chain.url, "--pay-to", DEV_ACCOUNTS.payTo.address]
  // The test chain suggests the largest priority fee that the service accepts. At this price even the cheapest product can be settled.
  const flags = [
    ...IDENTITY_FLAGS,
    ...AGENT_MODE_FLAGS,
    ...payments,
    "--relayer-key-file",
    relayer,
    "--eth-usd",
    "1000",
  ]
  const server = await startServer([binary, "serve", "--data", data, ...flags], join(folder, "serve.log"))
  try {
    await untilOpened(server.origin)
    await chain.mint(DEV_ACCOUNTS.payer.address, 10_000_000n)
    const bought = freshRequest()
    const deliveryFile = join(folder, "delivery.json")
    const issuerFile = join(folder, "issuer.json")
    writeFileSync(deliveryFile, await buy(server.origin, bought))
    writeFileSync(issuerFile, await (await fetch(`${server.origin}/.well-known/jwks.json`)).text())
    const { answer } = await buyAnswer({ post: posting(server.origin) }, { path: checkCompany.path, body: usBody() })
    const agents = await enrolAgents(server.origin, AGENTS, ENROLLING)
    await grantConsents(server.origin, agents)
    const payers = await openPayers(chain)
    const { execution_id: executionId } = answer
    return { binary, data, flags, server, bought, executionId, agents, payers, deliveryFile, issuerFile }
  } catch (error) {
    await server.stop()
    throw error
  }
}

function importLists(binary: string, data: string, folder: string): void {
  const lists = join(folder, "lists")
  mkdirSync(lists)
  const folders = writeSampleLists(lists, { publishedAt: Date.now() - HOUR_MS })
  const register = join(folder, "register")
  writeSampleRegister(register, Date.now())
  const imports = [...REQUIRED_US_SOURCES, ...REQUIRED_GB_SOURCES].map((id) => [id, folders[id]] as const)
  for (const [id, files] of [...imports, ["UK_COMPANIES_HOUSE", register] as const])
    runToEnd([binary, "sources", "import", id, files, "--data", data])
}

/**
 * Written directly to the database, because the operator's steps and the two keys are not measured. An older build has an older schema, which
 * has these tables too.
 */
async function enterParties(data: string, limits: Record<string, unknown>): Promise<void> {
  const path = dataPaths(data).database
  const database = databaseAt(path)
  const onFatal = (error: unknown) => {
    throw error
  }
  const { store } = await openEngine({ kind: "FILE", path }, { onFatal })
  await enterBuyer({ store, database }, Date.now(), limits)
  await store.close()
  await database.close()
}

async function buy(origin: string, request: Request): Promise<string> {
  const post = posting(origin)
  const answer = await post(request, await signedHeader({ post }, request))
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`the decision was not delivered: ${answer.status} ${text}`)
  return text
}

function posting(origin: string) {
  return (body: unknown, headers: Record<string, string> = {}, path = PAYMENT_DECISION_PATH) =>
    fetch(origin + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    })
}
