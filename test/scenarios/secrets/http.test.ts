/**
 * A secret that is sent to any route, in any part of a request, is refused, and its bytes are nowhere: not in the reply, on disk, in the log or
 * in the metrics, also after a crash.
 */
import { expect } from "bun:test"
import type { TSchema } from "@sinclair/typebox"
import fc from "fast-check"
import { USE } from "../../../schemas/hints.ts"
import type { Operation } from "../../../schemas/operation.ts"
import { sample } from "../../core/sample-of-schema.ts"
import { enrolTestAgent } from "../../fixtures/agent.ts"
import { initialised, type Running, serve } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { Draw } from "../../fixtures/draw.ts"
import { bytesUnder } from "../../fixtures/kept-bytes.ts"
import { atLength, sample as drawn, SEED } from "../../fixtures/long.ts"
import { OPERATIONS } from "../../fixtures/operations.ts"
import { operations, type Place, places } from "../../fixtures/planted-bodies.ts"
import type { MadeSecret } from "../../fixtures/private-keys.ts"
import { bareKeys, secretsAnywhere } from "../../fixtures/secrets.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const FLAGS = [
  ...["--log-level", "debug", "--rate-limits", "off", "--admin-listen", "127.0.0.1:0"],
  ...["--agent-mode-planning", "on", "--intent-beacon", "on", "--sandbox-rehearsal", "on"],
]
const REJECTED = ["CREDENTIAL_REJECTED", "PRIVATE_KEY_MATERIAL_REJECTED"]
const JSON_TYPE = { "content-type": "application/json" }

interface Sent {
  readonly path: string
  readonly method?: "GET" | "POST"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

const draw = new Draw("scenario of secrets over HTTP")
const anywhere = secretsAnywhere(draw)
const bare = bareKeys(draw)
/** A token and a key that fit into a header, a query and a path. */
const short = anywhere.filter(({ name }) => ["Stripe", "WIF", "signed token", "named key"].includes(name))

/** What no secret leaves behind: its bytes, and its bytes inside a JSON text. */
function tracesOf({ core }: MadeSecret): string[] {
  return [core, JSON.stringify(core).slice(1, -1)].map((text) => Buffer.from(text).toString("latin1"))
}

function expectNone(secrets: readonly MadeSecret[], where: string, text: string): void {
  for (const secret of secrets) {
    for (const trace of tracesOf(secret))
      expect([where, secret.name, text.includes(trace)]).toEqual([where, secret.name, false])
  }
}

const pathOf = ({ path }: Pick<Operation, "path">, value = "unknown") => path.replace(/\{[A-Za-z]+\}|\*/g, value)

async function sendTo({ origin }: Running, { path, method = "POST", headers = JSON_TYPE, body }: Sent) {
  const reply = await fetch(origin + path, { method, headers, ...(body !== undefined && { body }) })
  const text = await reply.text()
  return { status: reply.status, text, all: text + JSON.stringify([...reply.headers]) }
}

/** A body of the operation with the secret in one of its texts. */
function planted(
  { body: schema }: Operation<TSchema>,
  { text }: MadeSecret,
  isTaken: (place: Place) => boolean,
): unknown {
  const bodies = fc.sample(
    sample(schema).filter((body) => !JSON.stringify(body).includes('"__proto__"')),
    8,
  )
  for (const body of bodies) {
    const all = places(schema, body).filter(isTaken)
    const place = all[draw.below(all.length)]
    if (place) return place.put(text)
  }
  return null
}

const USES_WITHOUT_DIGESTS: readonly unknown[] = ["PROSE", "TRACE"]
const takesNoDigest = ({ schema }: Place) => USES_WITHOUT_DIGESTS.includes(schema[USE as never])

async function expectRefusedBodies(server: Running, operation: Operation<TSchema>, seed: number): Promise<void> {
  const expectRefused = async (secret: MadeSecret, body: unknown) => {
    const { status, text, all } = await sendTo(server, { path: pathOf(operation), body: JSON.stringify(body) })
    const rejected = REJECTED.some((code) => text.includes(code))
    expect([operation.id, secret.name, status, rejected]).toEqual([
      operation.id,
      secret.name,
      operation.schemaFaultStatus ?? 422,
      true,
    ])
    expectNone([secret], operation.id, all)
  }
  for (const secret of drawn(anywhere, atLength(8, anywhere.length), seed)) {
    const body = planted(operation, secret, () => true)
    if (body !== null) await expectRefused(secret, body)
    await expectRefused(secret, { [secret.text]: 1 })
    await expectRefused(secret, [[secret.text]])
  }
  for (const secret of drawn(bare, atLength(2, bare.length), seed)) {
    const body = planted(operation, secret, takesNoDigest)
    if (body !== null) await expectRefused(secret, body)
  }
}

/** Bodies that are refused before anything is searched. */
function brokenBodies({ path, bodyBytesMax = 64 * 1024 }: Operation, { text }: MadeSecret): Sent[] {
  const body = JSON.stringify({ note: text })
  return [
    { path, body: body.slice(0, -1) },
    { path, body: `${body.slice(0, -1)},"note":1}` },
    { path, body: `${text}{` },
    { path, body: body + " ".repeat(bodyBytesMax) },
    { path, body: JSON.stringify({ note: text, more: "x".repeat(bodyBytesMax) }) },
    { path, body, headers: { "content-type": "text/plain" } },
    { path, body, headers: { "content-type": `application/${text.slice(0, 40)}` } },
    { path, body: Bun.gzipSync(Buffer.from(body)), headers: { ...JSON_TYPE, "content-encoding": "gzip" } },
    { path, body: Buffer.concat([Buffer.from(body), Buffer.from([0xff])]) },
  ].map((sent) => ({ ...sent, path: pathOf(sent) }))
}

const HEADERS = [
  ...[
    "idempotency-key",
    "x-idempotency-key",
    "x-correlation-id",
    "x-request-id",
    "x-trace-id",
    "traceparent",
    "tracestate",
  ],
  ...["baggage", "user-agent", "referer", "origin", "from", "cookie", "authorization", "x-api-key", "forwarded", "via"],
  ...[
    "x-forwarded-for",
    "x-forwarded-host",
    "x-real-ip",
    "if-none-match",
    "if-modified-since",
    "accept",
    "accept-encoding",
  ],
  ...["accept-language", "range", "payment-signature", "x-payment", "x-cdo-request-body-digest", "svc-agent-id"],
  ...[
    "signature-input",
    "signature",
    "content-digest",
    "mcp-protocol-version",
    "mcp-method",
    "mcp-name",
    "mcp-session-id",
  ],
  ...["last-event-id", "a2a-version", "content-language"],
]

/** Calls that nothing searches, because nothing keeps what they hold. */
function callsWith(operation: Operation, { text }: MadeSecret): Sent[] {
  const { method } = operation
  const value = encodeURIComponent(text)
  const call: Sent = {
    path: pathOf(operation),
    method,
    ...(method === "POST" && { body: JSON.stringify(operation.exampleBody ?? {}) }),
  }
  return [
    { ...call, headers: { ...JSON_TYPE, ...Object.fromEntries(HEADERS.map((name) => [name, text])) } },
    ...HEADERS.map((name) => ({ ...call, headers: { ...JSON_TYPE, [name]: text } })),
    { ...call, path: `${call.path}?cursor=${value}&${value}=1` },
    { ...call, path: pathOf(operation, value) },
    { ...call, path: `${call.path}/${value}` },
  ]
}

const wrongPaths = (secret: MadeSecret, text = encodeURIComponent(secret.text)): Sent[] => [
  { path: `/${text}`, method: "GET" },
  { path: `/v1/${text}/unknown?${text}=${text}`, method: "GET" },
  { path: `/v1/unknown/${text}`, body: JSON.stringify({ note: text }) },
]

test("a secret in any part of any request is in no reply, no file, no log line and no metric", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const kept: [where: string, text: string][] = []
  let agentId = ""
  {
    await using server = await serve(data, FLAGS)
    agentId = (await enrolTestAgent(fetch, server.origin)).agentId
    for (const [at, operation] of operations.entries()) {
      await expectRefusedBodies(server, operation, SEED + at)
      for (const secret of drawn(short, atLength(1, short.length), SEED + at)) {
        for (const sent of brokenBodies(operation, secret)) {
          const { status, all } = await sendTo(server, sent)
          expect([operation.id, status >= 400 && status < 500]).toEqual([operation.id, true])
          expectNone([secret], operation.id, all)
        }
      }
    }
    for (const operation of OPERATIONS) {
      for (const secret of drawn(short, 1, SEED, false)) {
        for (const sent of callsWith(operation, secret)) {
          const { all } = await sendTo(server, sent)
          expectNone([secret], `${operation.id} ${sent.path}`, all)
        }
      }
    }
    for (const secret of short) {
      for (const sent of wrongPaths(secret)) {
        const { status, all } = await sendTo(server, sent)
        expect(status).toBe(404)
        expectNone([secret], sent.path, all)
      }
    }
    const admin = /"admin":"(http:[^"]+)"/.exec(server.err())?.[1] ?? ""
    kept.push(["metrics", await (await fetch(admin)).text()])
    await server.kill()
    kept.push(["files after the crash", bytesUnder(data)], ["log", server.out() + server.err()])
  }
  {
    await using server = await serve(data, FLAGS)
    expect(await server.stop()).toBe(0)
    kept.push(["files", bytesUnder(data)], ["second log", server.out() + server.err()])
  }
  // Controls of the search: it finds what is stored, logged and counted.
  const textOf = (where: string) => kept.find(([name]) => name === where)?.[1]
  expect(textOf("files")).toContain(agentId)
  expect(textOf("log")).toContain('"code":"PRIVATE_KEY_MATERIAL_REJECTED"')
  expect(textOf("metrics")).toContain("release_payment_to_supplier")
  for (const [where, text] of kept) expectNone([...anywhere, ...bare], where, text)
}, 300_000)
