import { afterEach, beforeEach, describe, expect } from "bun:test"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readKeyFile } from "../../../src/agent/key-file.ts"
import type { Send } from "../../../src/agent/service-call.ts"
import { EXIT } from "../../../src/base/exit.ts"
import { command as keygen } from "../../../src/cli/agent/keygen.ts"
import { command as revoke, runRevoke } from "../../../src/cli/agent/revoke.ts"
import { command as rotate, runRotate } from "../../../src/cli/agent/rotate.ts"
import { readInput } from "../../../src/cli/command.ts"
import { findCommand } from "../../../src/cli/commands.ts"
import { keyIdOf } from "../../../src/core/jwk.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import type { Service } from "../../products/agent-id/service.ts"
import { type AgentCommand, openEnrolledCommand } from "./agent-command.ts"

const test = slowTests(import.meta.path)

let folder: string
let path: string
let service: Service
let agent: AgentCommand
beforeEach(async () => {
  agent = await openEnrolledCommand()
  ;({ folder, path, service } = agent)
})
afterEach(() => agent.close())

const rotates = async (more: string[] = [], send: Send = service.send) =>
  runRotate(readInput(rotate, ["--keys", path, ...more], agent.terminal), send)
const revokes = async (more: string[] = [], ask: (question: string) => Promise<string | null> = async () => "yes") =>
  runRevoke(readInput(revoke, ["--keys", path, ...more], agent.terminal), { send: service.send, ask })
const published = async () => {
  const response = await service.get(`/v1/agent-identities/${readKeyFile(path).agent_id}/jwks.json`)
  return ((await response.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)
}

test("the parser finds both commands by their words", async () => {
  for (const expected of [rotate, revoke]) {
    const found = findCommand([...expected.name.split(" "), "--json"])
    expect((await found?.load())?.command).toBe(expected)
  }
})

test("rotate replaces the key file in place, readable only by its owner, and activates the committed key", async () => {
  const { next, recovery } = readKeyFile(path)
  expect(await rotates(["--json"])).toBe(EXIT.DONE)
  const after = readKeyFile(path)
  expect(after.operational).toEqual(next ?? after.recovery)
  expect(after.recovery).toEqual(recovery)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(["agent.json"])
  expect(JSON.parse(agent.printed())).toMatchObject({
    version: 1,
    result: "ROTATED",
    agent_id: after.agent_id,
    operational_key_id: keyIdOf(after.operational.x),
    recovery_key_id: keyIdOf(recovery.x),
    sequence: 1,
    log_index: 1,
  })
  expect(await published()).toEqual([keyIdOf(after.operational.x)])
})

test("rotate --target recovery replaces the recovery key and nothing else", async () => {
  const { operational, recovery, next } = readKeyFile(path)
  await rotates(["--target", "recovery"])
  const after = readKeyFile(path)
  expect([after.operational, after.next]).toEqual([operational, next])
  expect(after.recovery).not.toEqual(recovery)
  expect(agent.printed()).toContain(keyIdOf(after.recovery.x))
})

test("rotate --recovery with a claimed compromise revokes the old key", async () => {
  const since = new Date(service.clock.at).toISOString()
  service.clock.at += 1000
  await rotates(["--recovery", "--compromised-since", since])
  expect(await service.rows("SELECT status, compromised_since FROM agent_key WHERE until IS NOT NULL")).toEqual([
    { status: "REVOKED", compromised_since: since },
  ])
})

test("no command prints a private key", async () => {
  const secrets = () => {
    const { operational, recovery, next } = readKeyFile(path)
    return [operational.d, recovery.d, ...(next ? [next.d] : [])]
  }
  const all = secrets()
  await rotates()
  all.push(...secrets())
  await rotates(["--recovery", "--json"])
  await revokes(["--identity"])
  for (const secret of all) expect(agent.printed()).not.toContain(secret)
})

describe("options that contradict each other are rejected before anything is sent", () => {
  const never: Send = async () => {
    throw new Error("sent")
  }
  test.each([
    [["--target", "both"]],
    [["--compromised-since", "2026-03-01T12:00:00Z"]],
    [["--recovery", "--compromised-since", "yesterday"]],
    [["--target", "recovery", "--recovery", "--compromised-since", "2026-03-01T12:00:00Z"]],
  ])("rotate %p", async (flags) => {
    const before = readFileSync(path, "utf8")
    await expect(rotates(flags, never)).rejects.toMatchObject({ exit: EXIT.USAGE })
    expect(readFileSync(path, "utf8")).toBe(before)
  })

  test.each([
    [["--reason", "BORED"]],
    [["--compromised-since", "2026-03-01T12:00:00Z"]],
    [["--identity", "--recovery", "--compromised-since", "2026-03-01T12:00:00Z"]],
  ])("revoke %p", async (flags) => {
    await expect(revokes(flags)).rejects.toMatchObject({ exit: EXIT.USAGE })
    expect(await service.count("agent_event")).toBe(1)
  })

  test("rotate with a key file that was never enrolled is rejected", async () => {
    const other = join(folder, "other.json")
    await keygen.run(readInput(keygen, ["--out", other], agent.terminal))
    const input = readInput(rotate, ["--keys", other], agent.terminal)
    await expect(runRotate(input, never)).rejects.toMatchObject({ exit: EXIT.USAGE })
  })
})

describe("revoke asks for confirmation", () => {
  test.each([["no"], [""], ["YES"]])("typing %p revokes nothing", async (typed) => {
    await expect(revokes([], async () => typed)).rejects.toMatchObject({ exit: EXIT.USAGE })
    expect(await service.count("agent_event")).toBe(1)
  })

  test("a pipe cannot confirm, but --yes does", async () => {
    await expect(revokes([], async () => null)).rejects.toMatchObject({ exit: EXIT.USAGE })
    const unrequested = async () => {
      throw new Error("asked")
    }
    expect(await revokes(["--yes", "--reason", "SUPERSEDED"], unrequested)).toBe(EXIT.DONE)
    expect(await published()).toEqual([])
    expect(readKeyFile(path).revoked).toBe("OPERATIONAL")
  })

  test("the question names the identity and what revoking it loses", async () => {
    const requests: string[] = []
    const ask = async (question: string) => {
      requests.push(question)
      return "yes"
    }
    await revokes(["--recovery"], ask)
    await revokes(["--identity"], ask)
    const agentId = readKeyFile(path).agent_id ?? ""
    expect(requests[0]).toContain(`operational key of ${agentId}`)
    expect(requests[1]).toContain(`${agentId} permanently`)
    expect(agent.printed()).toContain("none: revoked")
  })
})

test("after a lost response the same command ends with the same event, and the file is complete at every moment", async () => {
  const cut: Send = async (request) => {
    const response = await service.send(request)
    return request.url.endsWith("/prove") ? Promise.reject(new TypeError("reset")) : response
  }
  await expect(rotates([], cut)).rejects.toMatchObject({ exit: EXIT.NOT_CHECKED })
  expect(readKeyFile(path).pending_keys?.next).toBeDefined()
  expect(await rotates()).toBe(EXIT.DONE)
  expect(await service.count("agent_event")).toBe(2)
  expect(await published()).toEqual([keyIdOf(readKeyFile(path).operational.x)])
})

test("a file whose two keys are the same key is rejected", () => {
  const keys = readKeyFile(path)
  for (const spoiled of [
    { ...keys, next: keys.operational },
    { ...keys, pending_keys: { recovery: keys.recovery } },
    { ...keys, pending_keys: { operational: keys.next, next: keys.next } },
  ]) {
    writeFileSync(path, JSON.stringify(spoiled), { mode: 0o600 })
    expect(() => readKeyFile(path)).toThrow("the same key")
  }
  writeFileSync(path, JSON.stringify({ ...keys, pending_keys: { operational: keys.next } }), { mode: 0o600 })
  expect(readKeyFile(path).pending_keys?.operational).toEqual(keys.next as never)
})
