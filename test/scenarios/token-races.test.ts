/** Authorization tokens on two servers of one data directory: one request succeeds, the others learn its result, and no crash undoes it. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../src/base/machine.ts"
import { type DataDirectory, openDataDirectory } from "../../src/data/data-directory.ts"
import { initialised, type Running, serve } from "../fixtures/binary.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import type { TokenWish } from "../fixtures/held-tokens.ts"
import { type HeldToken, heldToken, redeemBody, revokeBody, statusBody, tokenPath } from "../fixtures/held-tokens.ts"
import { SCENARIO_MS } from "../fixtures/test-operator.ts"

setDefaultTimeout(SCENARIO_MS)

const FLAGS = ["--rate-limits", "off", "--log-level", "debug"]
const CLIENTS = 100
const ROUNDS = 40

const folder = freshDirectory()
const data = join(folder.path, "data")
let directory: DataDirectory
let servers: Running[]
/** All servers of the tests. Their logs are read at the end. */
const started: Running[] = []
const tokens: HeldToken[] = []

const open = async () => {
  const server = await serve(data, FLAGS)
  started.push(server)
  return server
}
beforeAll(async () => {
  await initialised(folder.path)
  servers = await Promise.all([open(), open()])
  directory = await openDataDirectory(data, {
    machine: realMachine,
    migrate: false,
    onFatal: (error) => {
      throw error
    },
  })
})
afterAll(async () => {
  for (const server of started) await server.kill()
  await directory.store.close()
  folder[Symbol.dispose]()
})

async function issue(wish: TokenWish = {}): Promise<HeldToken> {
  const held = await heldToken(directory.store, `race${tokens.length}`, wish)
  tokens.push(held)
  return held
}

interface Told {
  readonly status: number
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
  readonly json: any
}

/** The `i`-th client asks the one server or the other. */
async function ask(i: number, path: string, body: unknown): Promise<Told> {
  const answer = await fetch((servers[i % servers.length]?.origin ?? "") + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  return { status: answer.status, text, json: JSON.parse(text) }
}

const redeem = (i: number, held: HeldToken, key: string) =>
  ask(i, tokenPath(held, "redeem"), redeemBody(held, { idempotency_key: key }))
const revoke = (i: number, held: HeldToken, key: string) =>
  ask(i, tokenPath(held, "revoke"), revokeBody(held, { idempotency_key: key }))
const stateOf = async (held: HeldToken) =>
  (await Promise.all([0, 1].map((i) => ask(i, tokenPath(held, "status"), statusBody(held))))).map(
    ({ json }) => json.token_state,
  )
const clients = <T>(asks: (i: number) => Promise<T>, many = CLIENTS) =>
  Promise.all(Array.from({ length: many }, (_, i) => asks(i)))

describe("a hundred simultaneous clients with one token on two servers", () => {
  test.each(["GB", "US"] as const)(
    "%s, each with its own key: one redeems it, and all others are refused because it is spent",
    async (country) => {
      for (let round = 0; round < 3; round++) {
        const held = await issue({ country })
        const told = await clients((i) => redeem(i, held, `client-${i}-${round}`))
        expect(told.filter(({ status }) => status === 200).length).toBe(1)
        expect(told.filter(({ json }) => json.code === "TOKEN_SPENT").length).toBe(CLIENTS - 1)
        expect(await stateOf(held)).toEqual(["SPENT", "SPENT"])
      }
    },
  )

  test("all with one key and body get one redemption and the same bytes", async () => {
    for (let round = 0; round < 3; round++) {
      const held = await issue()
      const told = await clients((i) => redeem(i, held, "the-same-key"))
      expect(new Set(told.map(({ status }) => status))).toEqual(new Set([200]))
      expect(told.filter(({ json }) => json.replayed === false).length).toBe(1)
      expect(new Set(told.map(({ text }) => text.replace(/"replayed":(true|false)/, ""))).size).toBe(1)
    }
  })

  test("with one key and two bodies get one body redeemed, and the other body is refused for every client", async () => {
    const held = await issue({ binding: { amount: "7" } })
    const binding = (i: number) => ({ ...held.binding, amount: i < CLIENTS / 2 ? "7" : "7.00" })
    const told = await clients((i) => ask(i, tokenPath(held, "redeem"), redeemBody(held, { binding: binding(i) })))
    expect(told.filter(({ json }) => json.replayed === false).length).toBe(1)
    expect(told.filter(({ json }) => json.replayed === true).length).toBe(CLIENTS / 2 - 1)
    expect(told.filter(({ json }) => json.code === "IDEMPOTENCY_KEY_REUSED").length).toBe(CLIENTS / 2)
  })
})

test("a redemption and a revocation sent together: one wins, and every response and the final state agree with it", async () => {
  const won = { SPENT: 0, REVOKED: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    const held = await issue({ kind: "VENDOR_CHANGE" })
    const both = async (i: number) => {
      const redeemed = i % 4 < 2
      // The order and the server of the first request change from round to round.
      const told = redeemed
        ? await redeem(i + round, held, `redeem-${i}`)
        : await revoke(i + round, held, `revoke-${i}`)
      return { redeemed, ...told }
    }
    const told = await Promise.all(Array.from({ length: 8 }, (_, i) => both((i + round * 3) % 8)))
    const [state, same] = await stateOf(held)
    expect(same).toBe(state)
    const winners = told.filter(({ status, json }) => status === 200 && json.replayed === false)
    expect(winners.map(({ json }) => json.token_state)).toEqual([state])
    for (const { redeemed, status, json } of told) {
      if (status === 200) expect([json.token_state, redeemed]).toEqual([state, state === "SPENT"])
      else expect(json.code).toBe(state === "SPENT" ? "TOKEN_SPENT" : "TOKEN_REVOKED")
    }
    won[state as keyof typeof won]++
  }
  // Otherwise it was no race.
  expect(Math.min(won.SPENT, won.REVOKED)).toBeGreaterThan(0)
})

describe("a process that crashes", () => {
  test("between the commit and the response: the same request gets its response as a repeat, and no other request does", async () => {
    const held = await issue()
    const body = redeemBody(held)
    const program = join(import.meta.dir, "..", "products", "authorization-tokens", "redeeming-process.ts")
    const child = Bun.spawn([process.execPath, program, directory.paths.database, tokenPath(held, "redeem")], {
      stdin: Buffer.from(JSON.stringify(body)),
      stdout: "pipe",
    })
    expect(await new Response(child.stdout).text()).toBe("")
    await child.exited
    expect(child.signalCode).toBe("SIGKILL")
    expect((await redeem(0, held, "another-key")).json.code).toBe("TOKEN_SPENT")
    const again = await clients((i) => ask(i, tokenPath(held, "redeem"), body), 4)
    expect(again.map(({ status, json }) => [status, json.replayed])).toEqual(again.map(() => [200, true]))
    expect(new Set(again.map(({ text }) => text)).size).toBe(1)
  })

  test("right after its response: a server started later returns the same bytes as a repeat", async () => {
    for (let round = 0; round < 3; round++) {
      const held = await issue()
      const server = await open()
      servers = [server]
      const first = await redeem(0, held, "the-same-key")
      await server.kill()
      servers = [await open()]
      const again = await redeem(0, held, "the-same-key")
      expect([first.status, again.text]).toEqual([200, first.text.replace('"replayed":false', '"replayed":true')])
      servers = started.slice(0, 2)
    }
  })

  test("while it redeems a hundred tokens: the results already sent stay, and the same request completes each of the others", async () => {
    const held: HeldToken[] = []
    while (held.length < CLIENTS) held.push(await issue())
    const server = await open()
    servers = [server]
    const sent = held.map((one) => redeem(0, one, "the-same-key").catch(() => null))
    await Promise.race(sent)
    await server.kill()
    const before = await Promise.all(sent)
    servers = started.slice(0, 2)
    for (const [i, one] of held.entries()) {
      const { status, json } = await redeem(i, one, "the-same-key")
      expect(status).toBe(200)
      if (before[i]) expect(json.replayed).toBe(true)
      expect((await redeem(i, one, "another-key")).json.code).toBe("TOKEN_SPENT")
    }
    expect(before.filter((told) => told !== null).length).toBeGreaterThan(0)
  })
})

test("no token is in a file of the data directory or in a server's output", () => {
  const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const kept = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1")).join("\n")
  const written = started.map(({ out, err }) => out() + err()).join("\n")
  expect(kept).toContain(tokens[0]?.tokenHash ?? "none")
  expect(written).toContain("redeem_gb_authorization_token")
  expect(tokens.length).toBeGreaterThan(ROUNDS)
  for (const { token } of tokens) {
    const secret = token.slice("svc_at_".length)
    const bytes = Buffer.from(secret, "base64url")
    for (const form of [secret, bytes.toString("latin1"), bytes.toString("hex"), bytes.toString("base64")]) {
      expect(kept.includes(form) || written.includes(form)).toBe(false)
    }
  }
})
