import { afterEach, beforeEach, expect, test } from "bun:test"
import { readFileSync, statSync } from "node:fs"
import { readKeyFile } from "../../../src/agent/key-file.ts"
import type { Send } from "../../../src/agent/service-call.ts"
import { EXIT } from "../../../src/base/exit.ts"
import { command as enroll, runEnrol } from "../../../src/cli/agent/enroll.ts"
import { command as keygen } from "../../../src/cli/agent/keygen.ts"
import { readInput } from "../../../src/cli/command.ts"
import { findCommand } from "../../../src/cli/commands.ts"
import { BASE_URL, type Service } from "../../products/agent-id/service.ts"
import { type AgentCommand, openAgentCommand } from "./agent-command.ts"

let path: string
let service: Service
let agent: AgentCommand
beforeEach(async () => {
  agent = await openAgentCommand()
  ;({ path, service } = agent)
})
afterEach(() => agent.close())

const makeKeys = (...more: string[]) => keygen.run(readInput(keygen, ["--out", path, ...more], agent.terminal))
const enrolKeys = (more: string[] = [], server = BASE_URL, send: Send = service.send) =>
  runEnrol(readInput(enroll, ["--keys", path, "--server", server, ...more], agent.terminal), send)

test("the parser finds both commands by their two words", async () => {
  for (const [words, expected] of [
    ["agent keygen", keygen],
    ["agent enroll", enroll],
  ] as const) {
    const found = findCommand([...words.split(" "), "--json"])
    expect((await found?.load())?.command).toBe(expected)
    expect(found?.rest).toEqual(["--json"])
    expect(expected.name).toBe(words)
  }
})

test("keygen writes a private file and prints public names only", async () => {
  expect(await makeKeys("--json")).toBe(EXIT.DONE)
  const { operational, recovery } = readKeyFile(path)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(JSON.parse(agent.printed())).toMatchObject({ version: 1, file: path })
  for (const { d } of [operational, recovery]) expect(agent.printed()).not.toContain(d)
})

test("keygen refuses to overwrite a file and leaves it unchanged", async () => {
  await makeKeys()
  const before = readFileSync(path, "utf8")
  await expect(makeKeys()).rejects.toMatchObject({ exit: EXIT.USAGE })
  expect(readFileSync(path, "utf8")).toBe(before)
})

test("enroll stores agent id, key id and server in the key file and prints the profile", async () => {
  await makeKeys()
  const { operational, recovery, next } = readKeyFile(path)
  agent.clear()
  expect(await enrolKeys(["--json"])).toBe(EXIT.DONE)
  const told = JSON.parse(agent.printed()) as { agent_id: string; key_id: string; profile: { agent_id: string } }
  expect(told.profile.agent_id).toBe(told.agent_id)
  expect(readKeyFile(path)).toEqual({
    operational,
    recovery,
    next,
    server: BASE_URL,
    agent_id: told.agent_id,
    key_id: told.key_id,
    head: { sequence: 0, event_digest: expect.any(String), receipt: expect.any(Object) },
  } as never)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test("a crash between proof and response loses nothing: the next run ends with the same identity", async () => {
  await makeKeys()
  const cut: Send = async (request) => {
    const response = await service.send(request)
    return request.url.endsWith("/prove") ? Promise.reject(new TypeError("reset")) : response
  }
  await expect(enrolKeys([], BASE_URL, cut)).rejects.toMatchObject({ exit: EXIT.NOT_CHECKED })
  expect(readKeyFile(path).pending).toBeDefined()
  expect(await enrolKeys()).toBe(EXIT.DONE)
  expect(readKeyFile(path).pending).toBeUndefined()
  expect(await service.count("agent")).toBe(1)
})

test("an enrolled file is not enrolled again", async () => {
  await makeKeys()
  await enrolKeys()
  const before = readFileSync(path, "utf8")
  await expect(enrolKeys()).rejects.toMatchObject({ exit: EXIT.USAGE })
  expect(readFileSync(path, "utf8")).toBe(before)
})

for (const server of [
  "localhost",
  "ftp://localhost",
  "http://localhost/v1",
  "http://user@localhost",
  "http://localhost/?a=b",
]) {
  test(`the server "${server}" is rejected because it is not a bare origin, and nothing is sent`, async () => {
    await makeKeys()
    const never: Send = async () => {
      throw new Error("sent")
    }
    await expect(enrolKeys([], server, never)).rejects.toMatchObject({ exit: EXIT.USAGE })
  })
}
