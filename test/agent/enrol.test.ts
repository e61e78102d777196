import { afterEach, beforeEach, expect, test } from "bun:test"
import { randomBytes } from "node:crypto"
import type { AgentIdentityChallenge } from "../../schemas/agent-id/challenge.ts"
import type { KeyEvent } from "../../schemas/agent-id/key-event.ts"
import { enrol } from "../../src/agent/enrol.ts"
import type { KeyFile } from "../../src/agent/forms/key-file.ts"
import { generateKeyFile } from "../../src/agent/keys.ts"
import type { Send } from "../../src/agent/service-call.ts"
import { CommandError, EXIT } from "../../src/base/exit.ts"
import { digestOf } from "../../src/core/digest.ts"
import { keyIdOf, publicJwk } from "../../src/core/jwk.ts"
import { BASE_URL, openService, type Service } from "../products/agent-id/service.ts"

let service: Service
let keys: KeyFile
let remembered: KeyEvent[]
beforeEach(async () => {
  service = await openService()
  keys = generateKeyFile((length) => new Uint8Array(randomBytes(length)))
  remembered = []
})
afterEach(() => service.close())

const run = (send: Send, file: KeyFile = keys) =>
  enrol({ keys: file, server: BASE_URL, send, remember: (event) => void remembered.push(event) })
const failure = async (attempt: Promise<unknown>): Promise<CommandError> => {
  const error = await attempt.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof CommandError)) throw new Error("it did not fail as a command does", { cause: error })
  return error
}

test("two calls enrol the keys; neither carries a private key", async () => {
  const sent: string[] = []
  const { agentId, keyId } = await run(async (request) => {
    sent.push(await request.clone().text())
    return service.send(request)
  })
  expect(sent).toHaveLength(2)
  for (const body of sent) {
    expect(body).not.toContain(keys.operational.d)
    expect(body).not.toContain(keys.recovery.d)
  }
  expect(keyId).toBe(keyIdOf(keys.operational.x))
  expect((await service.get(`/v1/agent-identities/${agentId}`)).status).toBe(200)
})

test("after a lost response, the agent proves the stored challenge again and gets the same identity", async () => {
  let calls = 0
  const lossy: Send = async (request) => {
    const response = await service.send(request)
    if (++calls === 2) throw new TypeError("connection reset")
    return response
  }
  expect((await failure(run(lossy))).exit).toBe(EXIT.NOT_CHECKED)
  const [pending] = remembered
  if (!pending) throw new Error("nothing remembered")
  const { agentId } = await run(service.send, { ...keys, pending })
  expect((await service.get(`/v1/agent-identities/${agentId}`)).status).toBe(200)
  expect(await service.count("agent")).toBe(1)
})

test("a stored challenge that expired is replaced by a new one", async () => {
  await failure(
    run(async (request) => (request.url.endsWith("/prove") ? Promise.reject(new Error("off")) : service.send(request))),
  )
  const [pending] = remembered
  if (!pending) throw new Error("nothing remembered")
  service.clock.at += 3_600_000
  await run(service.send, { ...keys, pending })
  expect(remembered).toHaveLength(2)
})

const other = generateKeyFile((length) => new Uint8Array(randomBytes(length)))
const foreign = { key_id: keyIdOf(other.operational.x), public_jwk: publicJwk(other.operational.x) }
type Twist = (event: KeyEvent) => object
const twists: readonly [string, Twist][] = [
  ["another audience", (event) => ({ ...event, audience: "https://elsewhere.example" })],
  ["another claim", (event) => ({ ...event, claim: "PAYMENT_AUTHORITY" })],
  ["another domain", (event) => ({ ...event, domain: "svc.agent-signature.v1" })],
  ["someone else's operational key", (event) => ({ ...event, keys: { ...event.keys, operational: foreign } })],
  ["someone else's recovery key", (event) => ({ ...event, keys: { ...event.keys, recovery: foreign } })],
  ["no recovery key", (event) => ({ ...event, keys: { ...event.keys, recovery: null } })],
  ["an existing identity", (event) => ({ ...event, agent_id: `svc:agent:${"A".repeat(32)}`, sequence: 1 })],
  ["a purpose of revoking", (event) => ({ ...event, purpose: "REVOCATION" })],
  [
    "a change that revokes",
    (event) => ({ ...event, change: { kind: "REVOKE_IDENTITY", authorized_by: ["RECOVERY"], reason: "UNSPECIFIED" } }),
  ],
  ["an unrequested commitment", (event) => ({ ...event, next_operational_key_digest: `sha256:${"a".repeat(64)}` })],
  ["a longer window", (event) => ({ ...event, expires_at: "2027-03-01T12:00:00.000Z" })],
  ["a window that ends before it begins", (event) => ({ ...event, expires_at: event.issued_at })],
  ["a day that does not exist", (event) => ({ ...event, expires_at: "2026-02-30T12:00:00.000Z" })],
  ["one member more", (event) => ({ ...event, payee: "0x00" })],
]
for (const [what, twist] of twists) {
  test(`the agent does not sign a challenge with ${what}`, async () => {
    const paths: string[] = []
    const lying: Send = async (request) => {
      paths.push(new URL(request.url).pathname)
      const answer = (await (await service.send(request)).json()) as AgentIdentityChallenge
      return Response.json({ ...answer, challenge: twist(answer.challenge) }, { status: 201 })
    }
    const { exit, message } = await failure(run(lying))
    expect(exit).toBe(EXIT.INVALID)
    expect(message).toContain("was not signed")
    expect(paths).toEqual(["/v1/agent-identities/challenges"])
    expect(remembered).toEqual([])
  })
}

test("the agent rejects an agent id that does not follow from the signed event", async () => {
  const lying: Send = async (request) => {
    const response = await service.send(request)
    if (!request.url.endsWith("/prove")) return response
    return Response.json({ ...((await response.json()) as object), agent_id: `svc:agent:${"A".repeat(32)}` })
  }
  expect((await failure(run(lying))).message).toContain("agent id")
})

const answers: readonly [string, () => Promise<Response>, number, string][] = [
  [
    "a refusal",
    async () => Response.json({ code: "KEY_SMALL_ORDER" }, { status: 422 }),
    EXIT.INVALID,
    "KEY_SMALL_ORDER",
  ],
  [
    "a limit",
    async () => Response.json({ code: "RATE_LIMITED" }, { status: 429 }),
    EXIT.NOT_CHECKED,
    "try again later",
  ],
  ["a page", async () => new Response("<html>", { status: 200 }), EXIT.NOT_CHECKED, "not JSON"],
  ["too much", async () => new Response("x".repeat(300_000)), EXIT.NOT_CHECKED, "too large"],
  ["nothing", async () => Promise.reject(new TypeError("refused")), EXIT.NOT_CHECKED, "cannot be reached"],
  ["terminal codes", async () => Response.json({ code: "\u001b[2J" }, { status: 422 }), EXIT.INVALID, "HTTP 422"],
]
for (const [what, send, exit, words] of answers) {
  test(`a server that sends ${what} makes the command exit with ${exit}`, async () => {
    const error = await failure(run(send))
    expect(error.exit).toBe(exit as never)
    expect(error.message).toContain(words)
  })
}

test("the enrolment commits to the next key of the file; a file without a next key commits to nothing", async () => {
  const committed: (string | null)[] = []
  const listening: Send = async (request) => {
    const body = (await request.clone().json()) as { next_operational_key_digest?: string | null }
    if (request.url.endsWith("/challenges")) committed.push(body.next_operational_key_digest ?? null)
    return service.send(request)
  }
  await run(listening)
  const { next: _, ...bare } = generateKeyFile((length) => new Uint8Array(randomBytes(length)))
  await run(listening, bare)
  expect(committed).toEqual([keys.next ? digestOf(publicJwk(keys.next.x)) : "no next key", null])
  expect(
    await service.rows(
      "SELECT next_operational_key_digest AS next FROM agent ORDER BY coalesce(next_operational_key_digest, '')",
    ),
  ).toEqual([null, committed[0]].map((next) => ({ next })))
})
