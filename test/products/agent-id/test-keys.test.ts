/** The keys of the published vectors: anyone can sign with them, so nobody can enrol, rotate to or register one. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { readPublicKey } from "../../../src/cli/buyers/mandate-key-file.ts"
import { isTestKey, testKey } from "../../../src/core/forms/test-keys.ts"
import { publicJwk } from "../../../src/core/jwk.ts"
import { makeAgentKeys } from "../../fixtures/agent.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { BASE_URL, openService, type Service } from "./service.ts"

let service: Service
beforeEach(async () => {
  service = await openService()
})
afterEach(() => service.close())

const NAMES = [
  "AGENT_OPERATIONAL_KEY",
  "AGENT_RECOVERY_KEY",
  "NEXT_OPERATIONAL_KEY",
  "ORGANIZATION_MANDATE_KEY",
  "SERVICE_STATEMENT_KEY",
  "SERVICE_SANDBOX_KEY",
  "LIST_KEY",
] as const

async function challenge(members: object) {
  const request = new Request(`${BASE_URL}/v1/agent-identities/challenges`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ schema_version: "1.0.0", ...members }),
  })
  const answer = await service.send(request)
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

test.each(NAMES)("%s is refused as a key of an agent, and the refusal names the member", async (name) => {
  const jwk = publicJwk(testKey(name).x)
  const own = publicJwk(makeAgentKeys().operational.x)
  const rows = [
    ["operational_public_jwk", { purpose: "ENROLLMENT", operational_public_jwk: jwk, recovery_public_jwk: own }],
    ["recovery_public_jwk", { purpose: "ENROLLMENT", operational_public_jwk: own, recovery_public_jwk: jwk }],
    [
      "new_public_jwk",
      {
        ...{ purpose: "ROTATION", agent_id: `svc:agent:${"A".repeat(32)}`, target: "RECOVERY", mode: "RECOVERY" },
        new_public_jwk: jwk,
      },
    ],
  ] as const
  for (const [member, members] of rows) {
    expect(await challenge(members)).toMatchObject({
      status: 422,
      body: { code: "SCHEMA_INVALID", errors: [{ pointer: `/${member}/x`, code: "PUBLISHED_TEST_KEY" }] },
    })
  }
})

test("a mandate key file with one is refused, and another key is not", () => {
  using folder = freshDirectory()
  const file = join(folder.path, "org.pub")
  writeFileSync(file, JSON.stringify(publicJwk(testKey("ORGANIZATION_MANDATE_KEY").x)))
  expect(() => readPublicKey(file)).toThrow("buyers keygen")
  const { x } = makeAgentKeys().operational
  writeFileSync(file, JSON.stringify(publicJwk(x)))
  expect([readPublicKey(file).x, isTestKey(x)]).toEqual([x, false])
})
