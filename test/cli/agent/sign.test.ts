import { afterEach, beforeEach, expect, test } from "bun:test"
import { randomBytes } from "node:crypto"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { StatementVerification } from "../../../schemas/agent-id/signature.ts"
import { readKeyFile } from "../../../src/agent/key-file.ts"
import type { Send } from "../../../src/agent/service-call.ts"
import { EXIT } from "../../../src/base/exit.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { command as keygen } from "../../../src/cli/agent/keygen.ts"
import { runSign, command as sign } from "../../../src/cli/agent/sign.ts"
import { runVerifySignature, command as verifySignature } from "../../../src/cli/agent/verify-signature.ts"
import { readInput } from "../../../src/cli/command.ts"
import { findCommand } from "../../../src/cli/commands.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { isSignedForm } from "../../../src/core/signed-forms.ts"
import { BASE_URL, openService, type Service } from "../../products/agent-id/service.ts"
import { type AgentCommand, openEnrolledCommand } from "./agent-command.ts"

let service: Service
let agent: AgentCommand
const at = (name: string) => join(agent.folder, name)
beforeEach(async () => {
  agent = await openEnrolledCommand()
  service = agent.service
  writeFileSync(at("payload.json"), '{ "message": "hello" }')
})
afterEach(() => agent.close())

const machine = () => ({
  ...realMachine,
  now: () => service.clock.at,
  random: (byteLength: number) => new Uint8Array(randomBytes(byteLength)),
})
const AUDIENCE = ["--audience", "https://relying.example"]
const ACTION = ["--action-type", "SYNTHETIC_TEST"]
const SIGNED = [...AUDIENCE, ...ACTION]
const signFile = (more: string[] = [], payload = at("payload.json"), signed = SIGNED) =>
  runSign(
    readInput(sign, ["--keys", at("agent.json"), "--payload", payload, ...signed, ...more], agent.terminal),
    machine(),
  )
const verify = (path: string, more: string[] = [], send: Send = service.send) =>
  runVerifySignature(readInput(verifySignature, [path, "--server", BASE_URL, ...more], agent.terminal), send)

test("the parser finds both commands by their words", async () => {
  for (const [words, expected] of [
    ["agent sign", sign],
    ["agent verify-signature", verifySignature],
  ] as const) {
    expect((await findCommand(words.split(" "))?.load())?.command).toBe(expected)
    expect(expected.name).toBe(words)
  }
})

test("sign writes a statement over the payload's digest, and the service accepts it as key control", async () => {
  writeFileSync(at("context.json"), '{"environment":"SANDBOX"}')
  expect(await signFile(["--context", at("context.json"), "--out", at("signed.json")])).toBe(EXIT.DONE)
  const signed = JSON.parse(readFileSync(at("signed.json"), "utf8")) as StatementVerification
  const { agent_id, key_id } = readKeyFile(at("agent.json"))
  expect(isSignedForm("SIGNATURE_STATEMENT", signed.statement)).toBe(true)
  expect(signed.statement).toMatchObject({
    agent_id,
    key_id,
    audience: "https://relying.example",
    action_type: "SYNTHETIC_TEST",
    context: { environment: "SANDBOX" },
    payload_digest: digestOf({ message: "hello" }),
    issued_at: "2026-03-01T12:00:07.250Z",
    expires_at: "2026-03-01T12:05:07.250Z",
  } as never)
  expect(statSync(at("signed.json")).mode & 0o777).toBe(0o600)
  expect(await verify(at("signed.json"))).toBe(EXIT.DONE)
  expect(
    agent
      .printed()
      .split("\n")
      .map((line) => line.replace(/ +/g, " ")),
  ).toEqual([
    "cryptographic VALID",
    "lifecycle KEY_ACTIVE WITHIN_KEY_VALIDITY",
    "replay NOT_SEEN OBSERVE",
    "temporal WITHIN_WINDOW",
    "distribution NOT_REGISTERED",
    "valid until 2026-03-01T12:01:07.250Z",
    "next ACCEPT_AS_KEY_CONTROL_EVIDENCE_ONLY",
    "",
  ])
})

test("with --digest-only the payload is not sent, and the signature still verifies", async () => {
  await signFile(["--digest-only", "--out", at("signed.json")])
  expect(readFileSync(at("signed.json"), "utf8")).not.toContain("hello")
  expect(await verify(at("signed.json"), ["--json"])).toBe(EXIT.DONE)
  expect(JSON.parse(agent.printed())).toMatchObject({ version: 1, outcomes: { cryptographic: { outcome: "VALID" } } })
})

test("without --out the statement goes to standard output, in one line with --json", async () => {
  await signFile(["--json"])
  expect(agent.printed().trimEnd()).not.toContain("\n")
  expect(JSON.parse(agent.printed())).toMatchObject({ payload: { message: "hello" } })
})

test.each<[string, unknown]>([
  ["a key event", { domain: "svc.agent-identity.key-event.v1" }],
  ["a form to come", { type: "svc.later.v2" }],
  ["a mandate", { permitted_intent: "RELEASE_PAYMENT_TO_SUPPLIER" }],
  ["a decision request", { buyer_mandate: {} }],
])("%s is not signed as a payload", async (_, payload) => {
  writeFileSync(at("payload.json"), JSON.stringify(payload))
  await expect(signFile()).rejects.toMatchObject({ exit: EXIT.INVALID })
  expect(agent.printed()).toBe("")
})

test.each<[string, string[], string[]]>([
  ["an audience with a path", ["--audience", "https://relying.example/x"], ACTION],
  ["an action type with a space", ["--action-type", "a b"], AUDIENCE],
  ["a context that is a list", ["--context", "list.json"], SIGNED],
  ["a context with a number", ["--context", "number.json"], SIGNED],
  ["a context with too much", ["--context", "large.json"], SIGNED],
])("%s is rejected before anything is signed", async (_, [flag = "", value = ""], others) => {
  writeFileSync(at("list.json"), "[]")
  writeFileSync(at("number.json"), '{"a":1}')
  writeFileSync(at("large.json"), JSON.stringify({ a: "x".repeat(257) }))
  const given = [flag, value.endsWith(".json") ? at(value) : value]
  await expect(signFile(given, at("payload.json"), others)).rejects.toMatchObject({ exit: EXIT.USAGE })
  expect(agent.printed()).toBe("")
})

test("keys that are not enrolled cannot sign", async () => {
  await keygen.run(readInput(keygen, ["--out", at("new.json")], agent.terminal))
  const argv = ["--keys", at("new.json"), "--payload", at("payload.json"), ...SIGNED]
  await expect(runSign(readInput(sign, argv, agent.terminal), machine())).rejects.toMatchObject({ exit: EXIT.USAGE })
})

test("a rejected statement exits with 3 and prints the reason", async () => {
  await signFile(["--out", at("signed.json")])
  service.clock.at += 400_000
  expect(await verify(at("signed.json"))).toBe(EXIT.INVALID)
  expect(agent.printed()).toContain("temporal       EXPIRED")
  expect(agent.printed()).toContain("REFRESH_AND_RETRY")
})

test("a file of another format, a refusal, and a response about another statement have their own exit codes", async () => {
  await signFile(["--out", at("signed.json")])
  writeFileSync(at("other.json"), "{}")
  await expect(verify(at("other.json"))).rejects.toMatchObject({ exit: EXIT.NOT_CHECKED })
  const off = await openService({ signatureVerification: false })
  await expect(verify(at("signed.json"), [], off.send)).rejects.toMatchObject({ exit: EXIT.NOT_CHECKED })
  await off.close()
  const swapped: Send = async (request) => {
    const body = (await (await service.send(request)).json()) as object
    return Response.json({ ...body, statement_digest: digestOf("another") })
  }
  await expect(verify(at("signed.json"), [], swapped)).rejects.toMatchObject({ exit: EXIT.INVALID })
})
