/** A request is judged when its body has arrived, so that a slow body cannot carry a signature past the memory of its nonce. */
import { expect, test } from "bun:test"
import { getProofWalletInventory } from "../../schemas/agent-mode/proof-wallet.ts"
import { purgeExpired } from "../../src/agent-mode/purge-expired.ts"
import { HOUR, MINUTE, SECOND } from "../../src/core/time.ts"
import { agentService } from "../agent-mode/agent-service.ts"
import { enterTestAgent, openSalesServer, optOut, PATHS } from "../agent-mode/sales-test-server.ts"
import { asRequest, signedCall } from "../agent-mode/signed-calls.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { BASE_URL, clockAt } from "../fixtures/service.ts"

/** A request whose body ends when `finish` is called. */
function slowly(url: string, headers: Record<string, string>, body: string) {
  const bytes = new TextEncoder().encode(body)
  const end = Promise.withResolvers<void>()
  const began = Promise.withResolvers<void>()
  const stream = new ReadableStream({
    async pull(controller) {
      controller.enqueue(bytes.slice(0, 1))
      began.resolve()
      await end.promise
      controller.enqueue(bytes.slice(1))
      controller.close()
    },
  })
  const request = new Request(url, { method: "POST", headers, body: stream })
  return { request, began: began.promise, finish: end.resolve }
}

const INVENTORY = {
  schema_version: "1.0.0",
  contract_version: "1.0.0",
  environment: "LIVE",
  filter: { artifact_types: [], validity: "ANY", issuer: null },
  page: { limit: 10, cursor: null },
}

test("a signed HTTP message that began in time and ended late is refused", async () => {
  await using service = await agentService()
  const agent = await service.enrol()
  const start = service.clock.now()
  const url = BASE_URL + getProofWalletInventory.path
  const call = await signedCall(agent, { url, body: INVENTORY, at: start })
  expect((await service.send(asRequest(call))).status).toBe(200)
  service.clock.set(start + 5 * MINUTE)
  const { request, began, finish } = slowly(url, call.headers, call.body)
  const late = service.send(request)
  await began
  service.clock.set(start + 6 * MINUTE)
  await purgeExpired({ store: service.service.store, now: () => service.clock.now() })
  finish()
  expect((await service.told(await late)).refusal).toBe("422 SIGNATURE_PARAMETERS_INVALID EXPIRED")
})

test("an opt-in cannot be sent again after it was forgotten", async () => {
  using directory = freshDirectory()
  const start = Date.UTC(2026, 3, 1, 12)
  const clock = clockAt(start)
  const server = openSalesServer(`${directory.path}/bizauth.db`, { machine: clock })
  await enterTestAgent(server, start)
  await server.post(PATHS.optOut, optOut(start))
  const back = optOut(start, { action: "OPT_IN" })
  await server.post(PATHS.optOut, back)
  expect((await server.post(PATHS.optOut, optOut(start))).body.status).toBe("OPTED_OUT")
  clock.set(start + MINUTE)
  const { request, began, finish } = slowly(
    `http://localhost${PATHS.optOut}`,
    { "content-type": "application/json" },
    `${JSON.stringify(back)}${" ".repeat(SECOND)}`,
  )
  const late = server.app.handle(request)
  await began
  clock.set(start + 49 * HOUR)
  await purgeExpired({ store: server.store, now: () => clock.now() })
  finish()
  const answer = await late
  expect([answer.status, ((await answer.json()) as { code?: string }).code]).toEqual([422, "TIMESTAMP_REJECTED"])
  await server.close()
})
