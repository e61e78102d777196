import { describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { sizeRecordPath, writeSizeRecord } from "../../../src/data/log-size-record.ts"
import { rootHashAt } from "../../../src/store/log/transparency-log.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { auditData, auditedDirectory, auditServed, ORIGIN, VKEY } from "../audited-directory.ts"

const test = slowTests(import.meta.path)

interface Answer {
  readonly result: string
  readonly tree_size: number
  readonly agents: number
  readonly first_difference: number | null
  readonly checks: readonly { readonly check: string; readonly state: string; readonly detail: string }[]
}
const answer = (out: string) => JSON.parse(out) as Answer
const failed = ({ checks }: Answer) => checks.filter(({ state }) => state === "INVALID").map(({ check }) => check)

describe("an audit of a data directory", () => {
  test("that is intact exits 0 and states what this proves and what it does not", async () => {
    await using at = await auditedDirectory()
    await at.grow(0, 40)
    const ran = await auditData(at.path)
    expect(ran.exit).toBe(0)
    expect(ran.out).toContain(`log      ${ORIGIN}`)
    expect(ran.out).toContain("replayed 40 leaves, 9 agents")
    expect(ran.out).toContain("proves:")
    expect(ran.out).toMatch(/does not prove:[\s\S]*witnesses/)
    expect(answer((await auditData(at.path, "--json")).out)).toMatchObject({
      result: "VALID",
      tree_size: 40,
      agents: 9,
      first_difference: null,
    })
  })

  test("without any leaf exits 0", async () => {
    await using at = await auditedDirectory()
    expect(await auditData(at.path)).toMatchObject({ exit: 0 })
  })

  const tampered: readonly [what: string, sql: string, check: string, leaf: number | null][] = [
    [
      "an event's digest in a leaf",
      "UPDATE log_leaf SET data = CAST(substr(data,1,32) || zeroblob(32) || substr(data,65) AS BLOB) WHERE log_index = 7",
      "leaves",
      7,
    ],
    [
      "the digest of an artifact",
      "UPDATE log_leaf SET data = CAST(substr(data,1,32) || zeroblob(32) || substr(data,65) AS BLOB) WHERE log_index = 14",
      "leaves",
      14,
    ],
    [
      "the map root in a leaf",
      "UPDATE log_leaf SET data = CAST(substr(data,1,64) || zeroblob(32) AS BLOB) WHERE log_index = 30",
      "leaves",
      30,
    ],
    ["a leaf that is gone", "DELETE FROM log_leaf WHERE log_index = 21", "leaves", 21],
    ["the last leaf", "DELETE FROM log_leaf WHERE log_index = 39", "leaves", 39],
    ["a stored node", "UPDATE log_node SET hash = zeroblob(32) WHERE level = 2 AND node_index = 3", "leaves", 12],
    ["a stored node that is gone", "DELETE FROM log_node WHERE level = 0 AND node_index = 33", "leaves", 33],
    ["the map root of the head", "UPDATE log_head SET map_root = zeroblob(32)", "head", null],
    ["the frontier of the head", "UPDATE log_head SET frontier = zeroblob(64)", "head", null],
    ["a map entry", "UPDATE log_map_entry SET event_digest = zeroblob(32) WHERE log_index = 38", "map", 38],
    ["a map entry that is gone", "DELETE FROM log_map_entry WHERE log_index = 38", "map", null],
    [
      "a map branch",
      "UPDATE log_map_branch SET left_hash = zeroblob(32), right_hash = zeroblob(32) WHERE position = x'00'",
      "map",
      null,
    ],
    [
      "a map branch that is gone",
      "DELETE FROM log_map_branch WHERE position = (SELECT max(position) FROM log_map_branch)",
      "map",
      null,
    ],
    [
      "an agent's newest event",
      "UPDATE agent SET head_event_digest = 'sha256:00' WHERE agent_id = 'svc:agent:3'",
      "agents",
      null,
    ],
    [
      "an agent that is in no log",
      "INSERT INTO agent (agent_id, identity_status, sequence, head_event_digest, head_accepted_at) VALUES ('svc:agent:x', 'ACTIVE', 0, 'sha256:00', '')",
      "agents",
      null,
    ],
    ["an agent that is gone", "DELETE FROM agent WHERE agent_id = 'svc:agent:3'", "agents", null],
  ]
  test.each(tampered)("detects %s: exit 3", async (_what, sql, check, leaf) => {
    await using at = await auditedDirectory()
    await at.grow(0, 40)
    at.database.run(sql)
    const ran = await auditData(at.path, "--json")
    expect(ran.exit).toBe(3)
    const said = answer(ran.out)
    expect([failed(said)[0], said.first_difference]).toEqual([check, leaf])
  })

  test("compares the log with the size record, and cannot check with an unreadable record", async () => {
    await using at = await auditedDirectory()
    await at.grow(0, 12)
    const root = (size: number) => at.store.read(() => rootHashAt(size))
    const time = "2026-01-01T00:00:00.000Z"
    writeSizeRecord(at.path, { size: 10, rootHash: await root(10), at: time })
    expect((await auditData(at.path)).out).toContain("continues the 10 leaves")
    writeSizeRecord(at.path, { size: 10, rootHash: await root(9), at: time })
    expect(await auditData(at.path)).toMatchObject({ exit: 3 })
    writeSizeRecord(at.path, { size: 13, rootHash: await root(12), at: time })
    const behind = await auditData(at.path)
    expect(behind.exit).toBe(3)
    expect(behind.out).toContain("older copy")
    writeFileSync(sizeRecordPath(at.path), "{")
    expect(await auditData(at.path)).toMatchObject({ exit: 4 })
  })

  test("finds an earlier checkpoint as a prefix of the log, and rejects a checkpoint of another log", async () => {
    await using at = await auditedDirectory()
    await at.grow(0, 12)
    const file = join(at.path, "..", "checkpoint.txt")
    writeFileSync(file, await at.note())
    await at.grow(12, 20)
    expect(await auditData(at.path, "--since", file, "--log-key", VKEY)).toMatchObject({ exit: 0 })
    expect(await auditData(at.path, "--since", file)).toMatchObject({ exit: 4 })
    await using other = await auditedDirectory()
    await other.grow(0, 20, "other ")
    const forked = await auditData(other.path, "--since", file, "--log-key", VKEY)
    expect(forked.exit).toBe(3)
    expect(forked.out).toContain("forked")
  })

  test("also reads leaves that are appended while it runs", async () => {
    await using at = await auditedDirectory()
    await at.grow(0, 30)
    const [ran] = await Promise.all([auditData(at.path, "--json"), at.grow(30, 60)])
    expect([ran.exit, answer(ran.out).tree_size >= 30]).toEqual([0, true])
  })
})

describe("an audit of a server", () => {
  test("that is honest exits 0 across more than one tile, and asks for a pinned key", async () => {
    await using at = await auditedDirectory()
    await at.grow(0, 300)
    const pinned = await auditServed(at.send, "--log-key", VKEY, "--json")
    expect(pinned.exit).toBe(0)
    expect(answer(pinned.out)).toMatchObject({ result: "VALID", tree_size: 300, agents: 9 })
    const trusting = await auditServed(at.send)
    expect(trusting.exit).toBe(0)
    expect(trusting.out).toContain("pin it with --log-key")
  })

  test("with an empty log exits 0", async () => {
    await using at = await auditedDirectory()
    expect(await auditServed(at.send, "--log-key", VKEY)).toMatchObject({ exit: 0 })
  })

  test("that extends an earlier checkpoint exits 0; a fork or an older state exits 3", async () => {
    await using at = await auditedDirectory()
    await at.grow(0, 20)
    const file = join(at.path, "..", "checkpoint.txt")
    writeFileSync(file, await at.note())
    const older = await at.note()
    await at.grow(20, 33)
    expect(await auditServed(at.send, "--log-key", VKEY, "--since", file)).toMatchObject({ exit: 0 })

    writeFileSync(file, await at.note())
    const replayed = await auditServed(
      async (request) => (request.url.endsWith("/checkpoint") ? new Response(older) : at.send(request)),
      "--log-key",
      VKEY,
      "--since",
      file,
    )
    expect(replayed.exit).toBe(3)
    expect(replayed.out).toContain("this log is an older state")

    await using other = await auditedDirectory()
    await other.grow(0, 40, "other ")
    const forked = await auditServed(other.send, "--log-key", VKEY, "--since", file)
    expect(forked.exit).toBe(3)
    expect(forked.out).toContain("the log has forked")
  })

  test("that changes one byte of a tile exits 3 at that leaf", async () => {
    await using at = await auditedDirectory()
    await at.grow(0, 20)
    const changed = async (request: Request) => {
      const response = await at.send(request)
      if (!request.url.includes("/tile/")) return response
      const bytes = new Uint8Array(await response.arrayBuffer())
      bytes[17 * 98 + 40]! ^= 1
      return new Response(bytes)
    }
    const ran = await auditServed(changed, "--log-key", VKEY, "--json")
    expect([ran.exit, answer(ran.out).first_difference]).toEqual([3, 17])
  })

  test("that signs a root that does not match its leaves exits 3", async () => {
    await using at = await auditedDirectory()
    await using other = await auditedDirectory()
    await Promise.all([at.grow(0, 20), other.grow(0, 20, "other ")])
    const ran = await auditServed(
      async (request) => (request.url.endsWith("/checkpoint") ? new Response(await other.note()) : at.send(request)),
      "--log-key",
      VKEY,
      "--json",
    )
    expect([ran.exit, failed(answer(ran.out))]).toEqual([3, ["root"]])
  })

  test("that truncates a tile exits 3", async () => {
    await using at = await auditedDirectory()
    await at.grow(0, 20)
    const cut = async (request: Request) => {
      const response = await at.send(request)
      if (!request.url.includes("/tile/")) return response
      return new Response((await response.arrayBuffer()).slice(0, 98 * 19))
    }
    expect(await auditServed(cut, "--log-key", VKEY)).toMatchObject({ exit: 3 })
  })

  test("that asks the client to wait waits for that time, up to a limit", async () => {
    await using at = await auditedDirectory()
    await at.grow(0, 3)
    let refusals = 2
    const busy = async (request: Request) =>
      refusals-- > 0 ? new Response("", { status: 429, headers: { "retry-after": "7" } }) : at.send(request)
    expect(await auditServed(busy, "--log-key", VKEY)).toMatchObject({ exit: 0, waited: [7000, 7000] })
    refusals = 1000
    expect(await auditServed(busy, "--log-key", VKEY)).toMatchObject({ exit: 4, waited: [7000, 7000, 7000, 7000] })
  })

  const unreadable: readonly [string, () => Promise<Response>][] = [
    ["cannot be reached", () => Promise.reject(new Error("ECONNREFUSED"))],
    ["has no log", async () => new Response("", { status: 404 })],
    ["answers without end", async () => new Response(new Uint8Array(1_000_000))],
    ["describes something else", async () => Response.json({ origin: ORIGIN })],
  ]
  test.each(unreadable)("that %s exits 4, because it could not be checked", async (_what, send) => {
    expect(await auditServed(send)).toMatchObject({ exit: 4 })
  })

  test("signed by another key than the pinned one exits 4, because it could not be checked", async () => {
    await using at = await auditedDirectory()
    const other = `${VKEY.slice(0, VKEY.indexOf("+"))}+00000000+AAAA`
    expect(await auditServed(at.send, "--log-key", other)).toMatchObject({ exit: 2 })
    const known = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    expect(await auditServed(at.send, "--log-key", known)).toMatchObject({ exit: 4 })
  })
})
