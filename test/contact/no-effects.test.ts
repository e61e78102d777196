/**
 * What contact never does, counted at each seam: asks a source or a node, opens a socket, reads a file, or writes a row besides an opt-out. The
 * service has payments and fetching switched on.
 */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { requestDocuments } from "../../src/server/request-documents.ts"
import { countEffects, NO_EFFECT_COUNTED } from "../agent-mode/effects.ts"
import { DEV_ACCOUNTS, DEV_KEYS } from "../fixtures/chain.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { BASE_URL } from "../fixtures/service.ts"
import { type ContactService, contactService, DECISION_PATHS, INTENT, PRODUCT_PATHS } from "./contact-service.ts"

let service: ContactService
let node: ReturnType<typeof Bun.serve>
let nodeCalls = 0
const secrets = freshDirectory()

beforeAll(async () => {
  // The node of the chain: it only counts.
  node = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => {
      nodeCalls++
      return new Response("", { status: 500 })
    },
  })
  const relayer = join(secrets.path, "relayer.key")
  writeFileSync(relayer, DEV_KEYS[1], { mode: 0o600 })
  service = await contactService({
    payments: "test",
    rpc_url: `http://127.0.0.1:${node.port}`,
    pay_to: DEV_ACCOUNTS.payTo.address,
    relayer_key_file: relayer,
    sources_fetch: "on",
  })
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await node.stop(true)
  secrets[Symbol.dispose]()
})

const drafts = requestDocuments(BASE_URL).map(({ example }) => example())

async function askAll(): Promise<void> {
  for (const path of DECISION_PATHS) {
    for (const draft_request of [{}, ...drafts]) await service.post(path, { intent: INTENT, draft_request })
  }
  for (const path of PRODUCT_PATHS) {
    for (const draft_request of [{}, ...drafts]) expect((await service.post(path, { draft_request })).status).toBe(200)
  }
}

test("no contact call asks a source or a node, opens a socket, reads a file or writes a row", async () => {
  // The first calls load their modules.
  await askAll()
  const before = nodeCalls
  expect(await countEffects(service.directory, askAll)).toEqual(NO_EFFECT_COUNTED)
  expect(nodeCalls - before).toBe(0)
})

test("STOP writes its one row, and each STOP counts for its address", async () => {
  const stop = () => service.post("/v1/channels/acp/contact", { action: "STOP", reply_to: "agent@host.example" })
  const effects = { ...NO_EFFECT_COUNTED, changedTables: ["shared_use", "contact_stop"] }
  expect(await countEffects(service.directory, stop)).toEqual(effects)
  expect(await countEffects(service.directory, stop)).toEqual({ ...NO_EFFECT_COUNTED, changedTables: ["shared_use"] })
})

test("a payment header changes nothing: no quote, no charge", async () => {
  const headers = { "payment-signature": "e30=" }
  const effects = await countEffects(service.directory, async () => {
    const answer = await service.post("/v1/us/company-check/contact", {}, headers)
    expect([answer.status, answer.headers.has("payment-required")]).toEqual([200, false])
  })
  expect(effects).toEqual(NO_EFFECT_COUNTED)
})
