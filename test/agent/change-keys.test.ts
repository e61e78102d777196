import { afterEach, beforeEach, describe, expect } from "bun:test"
import { randomBytes } from "node:crypto"
import type { AgentIdentityChallenge } from "../../schemas/agent-id/challenge.ts"
import type { KeyEvent } from "../../schemas/agent-id/key-event.ts"
import { changeKeys } from "../../src/agent/change-keys.ts"
import { enrol } from "../../src/agent/enrol.ts"
import type { KeyFile } from "../../src/agent/forms/key-file.ts"
import { generateKeyFile, signingKey } from "../../src/agent/keys.ts"
import type { Send } from "../../src/agent/service-call.ts"
import type { WantedChange } from "../../src/agent/wanted-change.ts"
import { CommandError, EXIT } from "../../src/base/exit.ts"
import { keyIdOf, publicJwk } from "../../src/core/jwk.ts"
import { findIdentity } from "../../src/store/identity/agent-identity.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { BASE_URL, openService, type Service } from "../products/agent-id/service.ts"

const test = slowTests(import.meta.path)

const random = (length: number) => new Uint8Array(randomBytes(length))
let service: Service
/** The key file on the agent's disk. */
let file: KeyFile
beforeEach(async () => {
  service = await openService()
  const keys = generateKeyFile(random)
  const { agentId, keyId, head } = await enrol({ keys, server: BASE_URL, send: service.send, remember: () => {} })
  file = { ...keys, server: BASE_URL, agent_id: agentId, key_id: keyId, head }
  service.clock.at += 1000
})
afterEach(() => service.close())

const keep = (keys: KeyFile) => {
  file = keys
}
const run = (wanted: WantedChange, send: Send = service.send) => changeKeys({ keys: file, wanted, send, random, keep })
const failure = async (attempt: Promise<unknown>): Promise<CommandError> => {
  const error = await attempt.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof CommandError)) throw new Error("it did not fail as a command does", { cause: error })
  return error
}

const ROUTINE = { kind: "ROTATE_OPERATIONAL", mode: "ROUTINE", compromiseSuspectedSince: null } as const
const RECOVERY = { ...ROUTINE, mode: "RECOVERY" } as const
const NEW_RECOVERY = { kind: "ROTATE_RECOVERY" } as const
const REVOKE = {
  kind: "REVOKE_OPERATIONAL",
  mode: "SELF",
  reason: "UNSPECIFIED",
  compromiseSuspectedSince: null,
} as const
const END = { kind: "REVOKE_IDENTITY", reason: "CESSATION_OF_OPERATION" } as const

/** The keys that are active at the service must match the file, and so must the head event. */
async function expectInStep(): Promise<void> {
  const identity = await service.store.read(() => findIdentity(file.agent_id ?? ""))
  const active = (role: string) => identity?.keys.find((key) => key.role === role && key.status === "ACTIVE")?.keyId
  const own = (jwk: KeyFile["operational"] | undefined) => (jwk ? signingKey(jwk).keyId : undefined)
  expect(active("OPERATIONAL")).toBe(file.revoked ? undefined : own(file.operational))
  expect(active("RECOVERY")).toBe(file.revoked === "IDENTITY" ? undefined : own(file.recovery))
  expect(identity?.headEventDigest).toBe(file.head?.event_digest)
  expect(identity?.sequence).toBe(file.head?.sequence)
  expect(file.pending).toBeUndefined()
  expect(file.pending_keys).toBeUndefined()
}

test("a routine rotation activates the committed key and commits to a new one, several times in a row", async () => {
  for (let round = 1; round <= 3; round++) {
    service.clock.at += 600_000
    const committed = file.next?.x
    const { answer, event } = await run(ROUTINE)
    expect(answer.result).toBe("ROTATED")
    expect(event.sequence).toBe(round)
    expect(file.operational.x).toBe(committed ?? "")
    expect(file.key_id).toBe(keyIdOf(file.operational.x))
    expect(file.head?.receipt?.payload.sequence).toBe(round)
    await expectInStep()
  }
})

test("after every key change the file and the service agree, through the whole life of an identity", async () => {
  const first = file
  for (const wanted of [ROUTINE, RECOVERY, NEW_RECOVERY, REVOKE, NEW_RECOVERY, RECOVERY, END]) {
    service.clock.at += 1000
    await run(wanted)
    await expectInStep()
  }
  expect(file.revoked).toBe("IDENTITY")
  expect(file.recovery).not.toEqual(first.recovery)
  expect((await failure(run(RECOVERY))).message).toContain("revoked permanently")
})

test("a recovery reuses neither the operational nor the committed key of the file it replaces", async () => {
  const { operational, next } = file
  await run(RECOVERY)
  expect(file.operational.x).not.toBe(next?.x ?? "")
  expect([operational.x, next?.x]).not.toContain(file.next?.x ?? "")
})

test("no request contains a private key", async () => {
  const sent: string[] = []
  const listening: Send = async (request) => {
    sent.push(await request.clone().text())
    return service.send(request)
  }
  const secrets = [file.operational.d, file.recovery.d, file.next?.d ?? ""]
  for (const wanted of [ROUTINE, RECOVERY, NEW_RECOVERY, END]) await run(wanted, listening)
  secrets.push(file.operational.d, file.recovery.d)
  expect(sent.length).toBe(8)
  for (const body of sent) for (const secret of secrets) expect(body).not.toContain(secret)
})

describe("a process that is killed or cut off at any point loses no key, and the next run finishes the change", () => {
  class Killed extends Error {}
  /** The process ends at the n-th step: a request, its response, or a write of the file. */
  const dying = (n: number) => {
    let step = 0
    const count = () => {
      if (++step === n) throw new Killed()
    }
    const send: Send = async (request) => {
      count()
      const response = await service.send(request)
      count()
      return response
    }
    const write = (keys: KeyFile) => {
      count()
      keep(keys)
      count()
    }
    return { send, write }
  }
  const kinds = { ROUTINE, RECOVERY, NEW_RECOVERY, REVOKE, END }
  const rows = Object.entries(kinds).flatMap(([name, wanted]) =>
    [1, 2, 3, 4, 5, 6, 7, 8].map((step) => [name, step, wanted] as const),
  )
  test.each(rows)("%s, killed at step %i", async (_name, step, wanted) => {
    const { send, write } = dying(step)
    const cut = changeKeys({ keys: file, wanted, send, random, keep: write })
    // A cut request is reported as unreachable; everything else ends the process.
    await expect(cut).rejects.toThrow()
    if (wanted === END && file.revoked === "IDENTITY") return expectInStep()
    if (wanted === REVOKE && file.revoked === "OPERATIONAL") return expectInStep()
    service.clock.at += 600_000
    const { answer } = await run(wanted)
    expect(["ROTATED", "REVOKED"]).toContain(answer.result)
    await expectInStep()
  })

  test("after a lost response, the same command returns the same result and makes no second change", async () => {
    const { send, write } = dying(6)
    await expect(changeKeys({ keys: file, wanted: ROUTINE, send, random, keep: write })).rejects.toThrow()
    expect(await service.count("agent_event")).toBe(2)
    await run(ROUTINE)
    expect(await service.count("agent_event")).toBe(2)
    await expectInStep()
  })

  test("after a lost response, another command first completes the pending event and then its own", async () => {
    const { send, write } = dying(6)
    await expect(changeKeys({ keys: file, wanted: ROUTINE, send, random, keep: write })).rejects.toThrow()
    const { event } = await run(END)
    expect(event).toMatchObject({ sequence: 2, change: { kind: "REVOKE_IDENTITY" } })
    await expectInStep()
  })

  test("the agent rejects the pending event when its claim differs from what the command asks for", async () => {
    const claim = { compromiseSuspectedSince: new Date(service.clock.at - 500).toISOString() }
    const { send, write } = dying(6)
    await expect(changeKeys({ keys: file, wanted: RECOVERY, send, random, keep: write })).rejects.toThrow()
    service.clock.at += 1000
    const { message } = await failure(run({ ...RECOVERY, ...claim }))
    expect(message).toContain("LIFECYCLE_CONFLICT")
    await expectInStep()
    const revoking = dying(6)
    const lost = { wanted: REVOKE, send: revoking.send, random, keep: revoking.write }
    await expect(changeKeys({ keys: file, ...lost })).rejects.toThrow()
    const stolen = { ...REVOKE, mode: "RECOVERY", reason: "KEY_COMPROMISE" } as const
    expect((await failure(run(stolen))).message).toContain("LIFECYCLE_CONFLICT")
    await expectInStep()
  })

  test("a pending event with an expired challenge is replaced by a new one", async () => {
    const { send, write } = dying(5)
    await expect(changeKeys({ keys: file, wanted: ROUTINE, send, random, keep: write })).rejects.toThrow()
    expect(file.pending).toBeDefined()
    service.clock.at += 3_600_000
    const { event } = await run(ROUTINE)
    expect(event.sequence).toBe(1)
    await expectInStep()
  })
})

describe("the agent signs a server's event only when it is the expected event", () => {
  const foreign = generateKeyFile(random)
  const foreignKey = { key_id: keyIdOf(foreign.operational.x), public_jwk: publicJwk(foreign.operational.x) }
  const twists: readonly [string, (event: KeyEvent) => object][] = [
    ["another audience", (event) => ({ ...event, audience: "https://elsewhere.example" })],
    ["another identity", (event) => ({ ...event, agent_id: `svc:agent:${"A".repeat(32)}` })],
    ["another head", (event) => ({ ...event, previous_event_digest: `sha256:${"a".repeat(64)}` })],
    ["another sequence", (event) => ({ ...event, sequence: 2 })],
    ["someone else's operational key", (event) => ({ ...event, keys: { ...event.keys, operational: foreignKey } })],
    ["someone else's recovery key", (event) => ({ ...event, keys: { ...event.keys, recovery: foreignKey } })],
    ["another commitment", (event) => ({ ...event, next_operational_key_digest: `sha256:${"a".repeat(64)}` })],
    ["no commitment", (event) => ({ ...event, next_operational_key_digest: null })],
    [
      "another kind",
      (event) => ({
        ...event,
        change: { kind: "REVOKE_IDENTITY", authorized_by: ["RECOVERY"], reason: "UNSPECIFIED" },
      }),
    ],
    [
      "an unclaimed compromise",
      (event) => ({ ...event, change: { ...event.change, compromise_suspected_since: event.issued_at } }),
    ],
    ["a longer window", (event) => ({ ...event, expires_at: "2027-03-01T12:00:00.000Z" })],
    ["one member more", (event) => ({ ...event, payee: "0x00" })],
  ]
  test.each(twists)("%s", async (_what, twist) => {
    const before = file
    const paths: string[] = []
    const lying: Send = async (request) => {
      paths.push(new URL(request.url).pathname)
      const answer = (await (await service.send(request)).json()) as AgentIdentityChallenge
      return Response.json({ ...answer, challenge: twist(answer.challenge) }, { status: 201 })
    }
    const { exit, message } = await failure(run(RECOVERY, lying))
    expect([exit, message.includes("was not signed")]).toEqual([EXIT.INVALID, true])
    expect(paths).toEqual(["/v1/agent-identities/challenges"])
    expect(file).toBe(before)
  })

  test("the agent rejects a receipt for another event and a response for another identity, and records no change", async () => {
    for (const twist of [
      (body: { receipt: { payload: object } }) => ({
        ...body,
        receipt: { ...body.receipt, payload: { ...body.receipt.payload, event_digest: `sha256:${"b".repeat(64)}` } },
      }),
      (body: object) => ({ ...body, agent_id: `svc:agent:${"A".repeat(32)}` }),
    ]) {
      const lying: Send = async (request) => {
        const response = await service.send(request)
        if (!request.url.endsWith("/prove")) return response
        return Response.json(twist((await response.json()) as { receipt: { payload: object } }))
      }
      expect((await failure(run(RECOVERY, lying))).exit).toBe(EXIT.INVALID)
      expect(file.pending).toBeDefined()
      await run(RECOVERY)
      await expectInStep()
      service.clock.at += 1000
    }
  })
})

describe("the key file cannot request", () => {
  test("a change of keys that are not enrolled", async () => {
    const keys = generateKeyFile(random)
    const requests = changeKeys({ keys, wanted: ROUTINE, send: service.send, random, keep })
    expect((await failure(requests)).exit).toBe(EXIT.USAGE)
  })

  test("a routine rotation without a committed key; the error says how to continue", async () => {
    await run(REVOKE)
    expect(await failure(run(ROUTINE))).toMatchObject({
      exit: EXIT.USAGE,
      message: expect.stringContaining("--recovery"),
    })
  })

  test("a change that the service refuses; the error carries the service's code", async () => {
    await run(ROUTINE)
    expect(await failure(run(ROUTINE))).toMatchObject({
      exit: EXIT.NOT_CHECKED,
      message: expect.stringContaining("RATE_LIMITED"),
    })
    await run(REVOKE)
    expect(await failure(run(REVOKE))).toMatchObject({
      exit: EXIT.INVALID,
      message: expect.stringContaining("LIFECYCLE_CONFLICT"),
    })
  })
})
