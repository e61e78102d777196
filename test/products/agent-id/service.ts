/** The identity routes on a real database. The test moves the clock and reads the log. */

import { expect } from "bun:test"
import { randomBytes } from "node:crypto"
import type { AgentIdentityChallenge } from "../../../schemas/agent-id/challenge.ts"
import type { AgentIdentityProofResult } from "../../../schemas/agent-id/proof.ts"
import type { AgentSignatureVerification } from "../../../schemas/agent-id/signature-outcomes.ts"
import { createLog } from "../../../src/base/log.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { keyFromSeed } from "../../../src/core/ed25519.ts"
import { keyIdOf } from "../../../src/core/jwk.ts"
import { checkpointNote } from "../../../src/core/sign-checkpoint.ts"
import type { Signer } from "../../../src/core/signer.ts"
import type { FreeWrites } from "../../../src/http/free-writes.ts"
import { RateLimiter, type RateLimits } from "../../../src/http/rate-limit.ts"
import { router } from "../../../src/http/router.ts"
import type { Shell } from "../../../src/http/shell.ts"
import { agentId } from "../../../src/products/agent-id/routes.ts"
import { agentSignatures } from "../../../src/products/agent-id/signature-routes.ts"
import type { Store } from "../../../src/store/engine/unit.ts"
import type { TreeHead } from "../../../src/store/log/transparency-log.ts"
import { enrolmentRequest, makeAgentKeys, proofOf, type TestAgent, type TestAgentKeys } from "../../fixtures/agent.ts"
import { newStore } from "../../fixtures/new-store.ts"
import { listening } from "../../fixtures/shell.ts"

export const BASE_URL = "http://localhost"
export const LOG_ORIGIN = "localhost/agent-id/log/1"
export const START = Date.parse("2026-03-01T12:00:07.250Z")

/** Without a socket the peer is "unknown". Trusting it lets a test choose the client address with X-Forwarded-For. */
const PEER_WITHOUT_SOCKET = "unknown"

export interface ServiceSettings {
  readonly challengeIssuance?: boolean
  readonly signatureVerification?: boolean
  readonly limiter?: RateLimits
  readonly freeWrites?: FreeWrites
  readonly signer?: () => Signer
  readonly refreshKeys?: () => Promise<unknown>
}

/** Enters the key that signs statements. Values: key id and x. */
export const ENTER_SERVICE_KEY =
  "INSERT INTO service_key (key_id, use, x, status, created_at, not_before, expires_at) VALUES (?1, 'statement', ?2, 'ACTIVE', '', '', '')"

export async function openService(settings: ServiceSettings = {}) {
  const opened = await newStore()
  const served = serviceOver(opened.store, settings)
  await opened.write(ENTER_SERVICE_KEY, served.signer.keyId, served.serviceX)
  return { ...served, ...opened }
}

/** The routes over a store that has the key of {@link ENTER_SERVICE_KEY}. */
function serviceOver(store: Store, settings: ServiceSettings) {
  const clock = { at: START }
  const machine = {
    ...realMachine,
    now: () => clock.at,
    monotonic: () => clock.at,
    random: (length: number) => new Uint8Array(randomBytes(length)),
  }
  const logLines: string[] = []
  const log = createLog("debug", (line) => logLines.push(line), machine.now)
  const limiter = settings.limiter ?? new RateLimiter(machine)
  const serviceKey = keyFromSeed(new Uint8Array(randomBytes(32)))
  const logKey = { keyId: keyIdOf(serviceKey.x), ...serviceKey }
  const signer = { issuer: "svc", keyId: keyIdOf(serviceKey.x), privateKey: serviceKey.privateKey }
  const shell: Shell = {
    machine,
    log,
    limiter,
    ...(settings.freeWrites && { freeWrites: settings.freeWrites }),
    trustedProxies: new Set([PEER_WITHOUT_SOCKET]),
    baseUrl: () => "http://localhost",
    network: "eip155:8453",
  }
  const identities = agentId({
    shell,
    store,
    machine,
    signer: () => settings.signer?.() ?? signer,
    refreshKeys: settings.refreshKeys ?? (async () => false),
    baseUrl: () => BASE_URL,
    issuerName: "Test Operator",
    logOrigin: LOG_ORIGIN,
    challengeIssuance: settings.challengeIssuance ?? true,
  })
  const checkpoint = ({ size, rootHash }: TreeHead) => checkpointNote({ origin: LOG_ORIGIN, size, rootHash }, logKey)
  const registerDeps = { store, machine, baseUrl: () => BASE_URL, checkpoint }
  const signatures = agentSignatures({
    ...registerDeps,
    shell,
    signatureVerification: settings.signatureVerification ?? true,
  })
  const routes = [...identities, ...signatures]
  const app = router(shell, routes)
  const send = (request: Request) => app.handle(request)
  const post = (path: string, body: unknown, from = "192.0.2.1") =>
    send(
      new Request(BASE_URL + path, {
        method: "POST",
        headers: { "content-type": "application/json", "x-forwarded-for": from },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    )
  const get = (path: string, headers: Record<string, string> = {}) => send(new Request(BASE_URL + path, { headers }))
  return {
    /** The same routes on a socket. */
    listen: () => listening(shell, routes),
    send,
    post,
    get,
    clock,
    logLines,
    signer,
    serviceX: serviceKey.x,
    registerDeps,
    challenge: async (keys: TestAgentKeys, from?: string) =>
      (await (
        await post("/v1/agent-identities/challenges", enrolmentRequest(keys), from)
      ).json()) as AgentIdentityChallenge,
    enrolled: async (keys = makeAgentKeys()) => {
      const challenge = (await (
        await post("/v1/agent-identities/challenges", enrolmentRequest(keys))
      ).json()) as AgentIdentityChallenge
      const answer = await post(provePath(challenge), proofOf(challenge, keys))
      return { keys, challenge, result: (await answer.json()) as AgentIdentityProofResult }
    },
  }
}

export type Service = Awaited<ReturnType<typeof openService>>

/** Enrols one more agent. */
export async function newAgent(service: Service): Promise<TestAgent> {
  const { keys, result } = await service.enrolled()
  return { ...keys, agentId: result.agent_id }
}

/** A service with one enrolled agent. */
export async function openWithAgent(
  settings: ServiceSettings = {},
): Promise<{ readonly service: Service; readonly agent: TestAgent }> {
  const service = await openService(settings)
  return { service, agent: await newAgent(service) }
}

export function provePath({ challenge }: AgentIdentityChallenge): string {
  return `/v1/agent-identities/challenges/${challenge.challenge_id}/prove`
}

/** The response of a verification. Its bytes must be the canonical form of its value. */
export async function verificationOf(response: Response): Promise<AgentSignatureVerification> {
  const text = await response.text()
  const result = JSON.parse(text)
  expect(text).toBe(canonicalize(result))
  return result
}

export async function codeOf(response: Response): Promise<string> {
  return `${response.status} ${((await response.json()) as { code: string }).code}`
}
