/** What a request leaves in the access log: never what its client wrote, except the address. */
import { expect, test } from "bun:test"
import { readInvitation } from "../../schemas/agent-id/invitation.ts"
import { verifyAgentSignature } from "../../schemas/agent-id/signature-operations.ts"
import { getLiveness } from "../../schemas/discovery/health.ts"
import { type AccessEntry, createAccessLog } from "../../src/base/access-log.ts"
import { addressList } from "../../src/base/address-list.ts"
import { ServiceError } from "../../src/base/errors.ts"
import { realMachine } from "../../src/base/machine.ts"
import { serve } from "../../src/http/serve.ts"
import { listening, rawExchange, testShell } from "../fixtures/shell.ts"

const MARKER = "zq7marker"

function server() {
  const lines: string[] = []
  const access = createAccessLog(
    (text) => lines.push(...text.trimEnd().split("\n")),
    realMachine.now,
    (flush) => flush(),
  )
  const { shell, logged } = testShell({ access, trustedProxies: addressList("127.0.0.1") })
  const routes = [
    serve(shell, getLiveness, () => ({ status: 200, body: { status: "ok" } })),
    serve(shell, readInvitation, () => {
      throw new ServiceError("NOT_FOUND", "No such invitation.")
    }),
    serve(shell, verifyAgentSignature, () => {
      throw new Error(MARKER)
    }),
  ]
  const entries = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  return { ...listening(shell, routes), entries, lines, logged }
}

const FORWARDED = { "x-forwarded-for": "203.0.113.77", "user-agent": MARKER, cookie: MARKER }

test("each answer has one line with its template, whatever the request holds", async () => {
  await using one = server()
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(one.origin + path, { ...init, headers: { ...FORWARDED, ...init.headers } })
  const invitation = readInvitation.path.replace(/\{\w+\}/, MARKER)
  const answers = [
    await ask(`${getLiveness.path}?${MARKER}=1`),
    await ask(getLiveness.path, { method: "HEAD" }),
    await ask(getLiveness.path, { method: "POST", body: MARKER }),
    await ask(getLiveness.path, { method: "OPTIONS" }),
    await ask(invitation),
    await ask(`/${MARKER}`),
    await ask(verifyAgentSignature.path, { method: "POST", body: `{"${MARKER}":1}`, headers: JSON_TYPE }),
  ]
  expect(one.entries().map(({ method, path, status }) => [method, path, status])).toEqual([
    ["GET", getLiveness.path, 200],
    ["HEAD", getLiveness.path, 200],
    ["POST", getLiveness.path, 405],
    ["OPTIONS", getLiveness.path, 204],
    ["GET", readInvitation.path, 404],
    ["GET", null, 404],
    ["POST", verifyAgentSignature.path, 422],
  ])
  expect(one.entries().map((entry) => entry["request_id"])).toEqual(
    answers.map((answer) => answer.headers.get("x-request-id")),
  )
  for (const entry of one.entries()) {
    expect(Object.keys(entry)).toEqual(["time", "client", "method", "path", "status", "ms", "request_id"])
    expect(entry["client"]).toBe("203.0.113.77")
  }
  expect(one.lines.join("")).not.toContain(MARKER)
  expect(JSON.stringify(one.logged)).not.toContain("203.0.113.77")
})

const JSON_TYPE = { "content-type": "application/json" }

test("a request that the socket refuses has a line without a path, and its own address where no proxy is named", async () => {
  await using one = server()
  const text = `GET /${MARKER} HTTP/1.1\r\nHost: a.example\r\nHost: ${MARKER}\r\nConnection: close\r\n\r\n`
  expect(await rawExchange(one.origin, text)).toStartWith("HTTP/1.1 400")
  const [entry] = one.entries() as unknown as AccessEntry[]
  expect(entry).toMatchObject({ client: "127.0.0.1", method: "GET", path: null, status: 400 })
  expect(one.lines.join("")).not.toContain(MARKER)
})
