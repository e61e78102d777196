/** An agent's whole life on the command line, against a server in its own process. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { initialised, type Running, run, serve } from "../fixtures/binary.ts"
import { freshDirectory } from "../fixtures/directories.ts"

setDefaultTimeout(60_000)

const fresh = freshDirectory()
const keys = join(fresh.path, "agent.json")
let server: Running
beforeAll(async () => {
  const data = await initialised(fresh.path)
  server = await serve(data)
})
afterAll(async () => {
  await server.kill()
  fresh[Symbol.dispose]()
})

interface Told {
  readonly result: string
  readonly agent_id: string
  readonly operational_key_id: string | null
  readonly recovery_key_id: string | null
  readonly sequence: number
}
const agent = (...words: string[]) => run(["agent", ...words, "--keys", keys])
const told = async (...words: string[]): Promise<Told> => {
  const { exit, out, err } = await agent(...words, "--json")
  if (exit !== 0) throw new Error(`agent ${words.join(" ")} ended with ${exit}: ${err}`)
  return JSON.parse(out) as Told
}

test("the commands cover an agent's life: keygen, enroll, rotate, recover, a new recovery key, revoke, recover again, the end", async () => {
  expect((await run(["agent", "keygen", "--out", keys])).exit).toBe(0)
  expect((await agent("enroll", "--server", server.origin)).exit).toBe(0)
  const { agent_id } = JSON.parse(readFileSync(keys, "utf8")) as { agent_id: string }

  const rotated = await told("rotate")
  expect(rotated).toMatchObject({ result: "ROTATED", agent_id, sequence: 1 })
  const soon = await agent("rotate")
  expect([soon.exit, soon.err.includes("RATE_LIMITED")]).toEqual([4, true])

  const since = new Date().toISOString()
  const recovered = await told("rotate", "--recovery", "--compromised-since", since)
  expect(recovered.operational_key_id).not.toBe(rotated.operational_key_id)
  const renewed = await told("rotate", "--target", "recovery")
  expect(renewed.recovery_key_id).not.toBe(recovered.recovery_key_id)
  expect(renewed.operational_key_id).toBe(recovered.operational_key_id)

  expect((await agent("revoke")).exit).toBe(2)
  expect(await told("revoke", "--yes", "--reason", "SUPERSEDED")).toMatchObject({
    ...{ result: "REVOKED", operational_key_id: null, sequence: 4 },
  })
  expect((await agent("rotate")).exit).toBe(2)
  const back = await told("rotate", "--recovery")
  const jwks = (await (await fetch(`${server.origin}/v1/agent-identities/${agent_id}/jwks.json`)).json()) as {
    keys: { kid: string }[]
  }
  expect(jwks.keys.map(({ kid }) => kid)).toEqual([back.operational_key_id ?? ""])

  expect(await told("revoke", "--identity", "--yes")).toMatchObject({ recovery_key_id: null, sequence: 6 })
  const status = (await (await fetch(`${server.origin}/v1/agent-identities/${agent_id}/status`)).json()) as {
    payload: { identity_status: string; keys: { status: string }[] }
  }
  expect(status.payload.identity_status).toBe("REVOKED")
  expect(new Set(status.payload.keys.map((key) => key.status))).toEqual(new Set(["REVOKED"]))
  expect((await agent("rotate", "--recovery")).exit).toBe(2)
})
