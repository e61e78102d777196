/** The service stores nothing of a payload sent for verification or registration: not on disk, not in a log, also not after a crash. */
import { expect, test } from "bun:test"
import { randomBytes } from "node:crypto"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { openBeside } from "../../db/open.ts"
import { digestOf } from "../../src/core/digest.ts"
import { enrolTestAgent } from "../fixtures/agent.ts"
import { initialised, serve } from "../fixtures/binary.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { bytesUnder, filesUnder } from "../fixtures/kept-bytes.ts"
import { freshNonce, signedStatement } from "../fixtures/signed-statement.ts"

const ROUTES = ["/v1/agent-signatures/verify", "/v1/agent-id/artifacts"]

function post(origin: string, path: string, body: unknown): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return fetch(origin + path, { method: "POST", headers: { "content-type": "application/json" }, body: text })
}

test("a marker in payload, context, audience or action type appears in no file of the data directory and no log line", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const marker = `marker${randomBytes(12).toString("hex")}`
  const payload = { [marker]: [marker, { deep: `${marker}-deep` }] }
  const given = {
    payload_digest: digestOf(payload),
    context: { environment: marker },
    audience: `https://${marker}.example`,
    action_type: marker,
  }
  const flags = ["--log-level", "debug", "--rate-limits", "off"]
  const kept: string[] = []
  let registered = ""
  {
    await using server = await serve(data, flags)
    const agent = await enrolTestAgent(fetch, server.origin)
    const signed = (more: object = {}) => ({ ...signedStatement(agent, Date.now(), given), payload, ...more })
    const bodies: [number, unknown][] = [
      [200, signed()],
      [200, signed({ payload: { other: marker } })],
      [200, signed({ signature: signed().signature })],
      [422, signed({ [marker]: marker })],
      [422, { ...signed(), statement: { ...signed().statement, nonce: marker } }],
      [400, `{"${marker}": "${marker}", "${marker}": 1}`],
      [400, `{"${marker}`],
    ]
    for (const path of ROUTES) {
      for (const [status, body] of bodies) expect((await post(server.origin, path, body)).status).toBe(status)
    }
    const recorded = signed({ replay_check: "RECORD", verifier_nonce: freshNonce() })
    expect((await post(server.origin, ROUTES[0] ?? "", recorded)).status).toBe(200)
    const registration = signed()
    registered = digestOf(registration.statement)
    expect((await post(server.origin, ROUTES[1] ?? "", registration)).status).toBe(200)
    // The crash happens while requests are running.
    const flying = Array.from({ length: 60 }, () => post(server.origin, ROUTES[1] ?? "", signed()).catch(() => null))
    await flying[0]
    await server.kill()
    await Promise.all(flying)
    kept.push(bytesUnder(data), server.out(), server.err())
    expect(server.err()).toContain('"operation":"RegisterAgentArtifact"')
  }
  {
    await using server = await serve(data, flags)
    await fetch(server.origin)
    expect(await server.stop()).toBe(0)
    kept.push(bytesUnder(data), server.out(), server.err())
  }
  expect(filesUnder(data).some((file) => file.endsWith(".db"))).toBe(true)
  // Control of the search: it finds stored text, otherwise the lines below would prove nothing.
  expect(bytesUnder(data)).toContain(registered)
  for (const each of kept) expect(each).not.toContain(marker)
  expectRowsAndLeavesTogether(data)
}, 60_000)

function expectRowsAndLeavesTogether(data: string): void {
  const file = readdirSync(data).find((name) => name.endsWith(".db")) ?? ""
  const database = openBeside(join(data, file))
  const one = (sql: string) => (database.query(sql).get() as { n: number }).n
  const rows = one("SELECT count(*) AS n FROM artifact_registration")
  expect(rows).toBeGreaterThan(0)
  expect(one("SELECT count(*) AS n FROM log_leaf JOIN artifact_registration USING (log_index)")).toBe(rows)
  database.close()
}
