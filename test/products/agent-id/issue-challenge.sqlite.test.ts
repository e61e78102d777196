/** Reads the bytes of the file, where a refused key could remain without a row. */
import { expect, test } from "bun:test"
import { enrolmentRequest, makeAgentKeys } from "../../fixtures/agent.ts"
import { CHALLENGES } from "./key-changes.ts"
import { openService } from "./service.ts"

test("a private key in a request appears in no log line, no response and not in the database", async () => {
  await using service = await openService()
  const marker = "c2VjcmV0LW1hcmtlci1vZi1hLXByaXZhdGUta2V5LTE"
  const request = enrolmentRequest(makeAgentKeys())
  const body = { ...request, operational_public_jwk: { ...request.operational_public_jwk, d: marker } }
  const answer = await (await service.post(CHALLENGES, body)).text()
  expect(answer).toContain("PRIVATE_KEY_MATERIAL_REJECTED")
  await service.store.run(function* () {})
  const files = await Promise.all([service.address, `${service.address}-wal`].map((path) => Bun.file(path).text()))
  expect(service.logLines.length).toBeGreaterThan(0)
  for (const text of [answer, ...service.logLines, ...files]) expect(text).not.toContain(marker)
})
