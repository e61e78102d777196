import { describe, expect } from "bun:test"
import { LogConsistencyProof, LogDescriptor, LogInclusionProof, readLogTile } from "../../../schemas/agent-id/log.ts"
import { decodeBase64 } from "../../../src/core/bytes.ts"
import { type Checkpoint, openCheckpoint, readVerifierKey } from "../../../src/core/checkpoint.ts"
import { keyFromSeed } from "../../../src/core/ed25519.ts"
import { readEntries } from "../../../src/core/log-tiles.ts"
import { verifyConsistency, verifyInclusion } from "../../../src/core/merkle-tree.ts"
import { sha256 } from "../../../src/core/sha256.ts"
import { type LogKey, nativeNoteCrypto } from "../../../src/core/sign-checkpoint.ts"
import { compile } from "../../../src/http/read-body.ts"
import { router } from "../../../src/http/router.ts"
import { Checkpoints } from "../../../src/products/agent-id/log-checkpoint.ts"
import { transparencyLog } from "../../../src/products/agent-id/log-routes.ts"
import { appendKeyEvent, leafRange } from "../../../src/store/log/transparency-log.ts"
import { newStore } from "../../fixtures/new-store.ts"
import { expectProblem } from "../../fixtures/problems.ts"
import { sha, treeHash } from "../../fixtures/reference-log.ts"
import { testShell } from "../../fixtures/shell.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const BASE = "http://localhost"
const ORIGIN = "svc.example/agent-id/log/1"
const logKey = (fill: number): LogKey => ({ keyId: `key-${fill}`, ...keyFromSeed(new Uint8Array(32).fill(fill)) })

async function log(leaves: number, agents = "svc:agent:") {
  const bench = await newStore()
  const append = (from: number, to: number) =>
    Promise.all(
      Array.from({ length: to - from }, (_, i) =>
        bench.store.run(() =>
          appendKeyEvent(`${agents}${(from + i) % 50}`, `sha256:${Buffer.from(sha(Uint8Array.of(i))).toString("hex")}`),
        ),
      ),
    )
  await append(0, leaves)
  let key = logKey(1)
  const { shell } = testShell()
  const routes = transparencyLog({
    shell,
    store: bench.store,
    baseUrl: () => BASE,
    origin: ORIGIN,
    earlierOrigins: [],
    checkpoints: new Checkpoints(ORIGIN, () => key),
    publicKeys: () => [key.x],
  })
  const app = router(shell, routes)
  const ask = (path: string, headers: Record<string, string> = {}) =>
    app.handle(new Request(`${BASE}/v1/agent-id/log${path}`, { headers }))
  return {
    ask,
    append,
    rotate: () => {
      key = logKey(2)
    },
    data: async () =>
      (await bench.store.read(() => leafRange(0, 100_000))).map((bytes): Uint8Array => new Uint8Array(bytes)),
    bytes: async (path: string) => new Uint8Array(await (await ask(path)).arrayBuffer()),
    [Symbol.asyncDispose]: bench[Symbol.asyncDispose],
  }
}

async function checkpointOf(ask: (path: string) => Promise<Response>): Promise<Checkpoint> {
  const descriptor = (await (await ask("")).json()) as LogDescriptor
  const key = readVerifierKey(sha256, descriptor.verifier_keys[0] ?? "")
  const opened = openCheckpoint(await (await ask("/checkpoint")).text(), key ? [key] : [], nativeNoteCrypto)
  if ("fault" in opened) throw new Error(opened.fault)
  return opened
}

test("the descriptor contains the key that opens the checkpoint, and states what the log does not prove", async () => {
  await using running = await log(3)
  const answer = await running.ask("")
  const descriptor = (await answer.json()) as LogDescriptor
  expect(compile(LogDescriptor).Check(descriptor)).toBe(true)
  expect(answer.headers.get("access-control-allow-origin")).toBe("*")
  expect(descriptor.does_not_prove.join(" ")).toContain("witnesses")
  const { origin, size, rootHash } = await checkpointOf(running.ask)
  expect([origin, size]).toEqual([ORIGIN, 3])
  expect(rootHash).toEqual(treeHash(await running.data()))
})

describe("the checkpoint", () => {
  test("is plain text, signed once for each head, and 304 for a client that has it", async () => {
    await using running = await log(2)
    const first = await running.ask("/checkpoint")
    expect(first.headers.get("content-type")).toBe("text/plain; charset=utf-8")
    expect(first.headers.get("cache-control")).toBe("public, no-cache")
    const etag = first.headers.get("etag") ?? ""
    expect((await running.ask("/checkpoint", { "if-none-match": etag })).status).toBe(304)
    await running.append(2, 3)
    expect((await running.ask("/checkpoint", { "if-none-match": etag })).status).toBe(200)
  })

  test("opens also for an empty log and for a rotated key", async () => {
    await using running = await log(0)
    expect(await checkpointOf(running.ask)).toEqual({ origin: ORIGIN, size: 0, rootHash: sha() })
    running.rotate()
    expect((await checkpointOf(running.ask)).size).toBe(0)
  })
})

describe("tiles", () => {
  test("of 300 leaves rebuild the tree of the checkpoint, from entries and from hashes", async () => {
    await using running = await log(300)
    const data = await running.data()
    const entries = [
      ...(readEntries(await running.bytes("/tile/entries/000"), 256) ?? []),
      ...(readEntries(await running.bytes("/tile/entries/001.p/44"), 44) ?? []),
    ]
    expect(entries).toEqual(data)
    expect((await checkpointOf(running.ask)).rootHash).toEqual(treeHash(entries))
    const level0 = await running.bytes("/tile/0/000")
    expect(level0).toEqual(new Uint8Array(Buffer.concat(data.slice(0, 256).map((leaf) => treeHash([leaf])))))
    expect(await running.bytes("/tile/1/000.p/1")).toEqual(new Uint8Array(treeHash(data.slice(0, 256))))
  })

  test("are cached for ever, also a partial one, which stays the same when the log grows", async () => {
    await using running = await log(5)
    const answer = await running.ask("/tile/0/000.p/5")
    expect(answer.headers.get("cache-control")).toContain("immutable")
    expect(answer.headers.get("content-type")).toBe("application/octet-stream")
    const before = new Uint8Array(await answer.arrayBuffer())
    const etag = answer.headers.get("etag") ?? ""
    await running.append(5, 9)
    expect(await running.bytes("/tile/0/000.p/5")).toEqual(before)
    expect((await running.ask("/tile/0/000.p/5", { "if-none-match": etag })).status).toBe(304)
  })

  test.each([
    "/tile/0/000",
    "/tile/0/000.p/6",
    "/tile/1/000.p/1",
    "/tile/entries/001.p/1",
    "/tile/0/x035/x184/x372/x088/830",
    "/tile/entries/x035/x184/x372/x088/830",
  ])("%s does not exist yet and gets 404 that is not cached", async (path) => {
    await using running = await log(5)
    const answer = await running.ask(path)
    expect(answer.headers.get("cache-control")).toBe("no-store")
    await expectProblem(answer, 404, "LOG_NOT_THAT_LONG")
  })

  test.each([
    "/tile/",
    "/tile/0",
    "/tile/0/0",
    "/tile/64/000",
    "/tile/0/000.p/256",
    "/tile/%zz/000",
    "/tile/0/..%2f000",
    // Its leaves have numbers beyond 2^53.
    "/tile/0/x035/x184/x372/x088/831",
    "/tile/entries/x035/x184/x372/x088/831",
    "/tile/0/x999/x999/x999/x999/999",
  ])("%s is not a tile and gets 422 that explains the tile names", async (path) => {
    await using running = await log(5)
    const problem = await expectProblem(await running.ask(path), 422, "LOG_POSITION_INVALID")
    expect(problem.detail).toContain("tile/0/x001/234")
  })
})

describe("proofs", () => {
  test("of inclusion and consistency verify against the definition", async () => {
    await using running = await log(70)
    const data = await running.data()
    const bytes = (hashes: readonly string[]) => hashes.map((hash) => decodeBase64(hash, 32) ?? new Uint8Array(0))
    for (const [index, size] of [
      [0, 1],
      [0, 70],
      [64, 65],
      [69, 70],
      [33, 57],
    ] as const) {
      const answer = await running.ask(`/inclusion/${index}/${size}`)
      expect(answer.headers.get("cache-control")).toContain("immutable")
      const proof = (await answer.json()) as LogInclusionProof
      expect(compile(LogInclusionProof).Check(proof)).toBe(true)
      expect(decodeBase64(proof.leaf_data, 96)).toEqual(data[index]!)
      const path = bytes(proof.inclusion_path)
      const rootHash = treeHash(data.slice(0, size))
      expect(verifyInclusion(sha256, { index, size, leafHash: treeHash([data[index]!]), path, rootHash })).toBe(true)
    }
    for (const [from, to] of [
      [0, 70],
      [1, 70],
      [64, 70],
      [70, 70],
      [31, 69],
    ] as const) {
      const proof = (await (await running.ask(`/consistency/${from}/${to}`)).json()) as LogConsistencyProof
      expect(compile(LogConsistencyProof).Check(proof)).toBe(true)
      const [fromRootHash, toRootHash] = [treeHash(data.slice(0, from)), treeHash(data.slice(0, to))]
      const path = bytes(proof.consistency_path)
      expect(verifyConsistency(sha256, { from, to, fromRootHash, toRootHash, path })).toBe(true)
    }
  })

  test.each(["/inclusion/0/6", "/consistency/0/6", "/consistency/6/9007199254740991"])(
    "%s is beyond the log and gets 404 that names the checkpoint",
    async (path) => {
      await using running = await log(5)
      const problem = await expectProblem(await running.ask(path), 404, "LOG_NOT_THAT_LONG")
      expect(problem.next_machine_action).toBe("READ_CHECKPOINT")
    },
  )

  test.each([
    "/inclusion/5/5",
    "/inclusion/-1/5",
    "/inclusion/1.5/5",
    "/inclusion/01/5",
    "/inclusion/0x1/5",
    "/inclusion/1/9007199254740992",
    "/inclusion/1e1/5",
    "/consistency/4/3",
    "/consistency/a/3",
  ])("%s is not a position and gets 422", async (path) => {
    await using running = await log(5)
    await expectProblem(await running.ask(path), 422, "LOG_POSITION_INVALID")
  })
})

test("a million leaves can be audited within an hour at the stated rate", () => {
  expect(1_000_000 / 256 / readLogTile.rateLimit.perMinute).toBeLessThan(60)
})

test("logs of different agents differ in hashes only, so that nothing shows whether an agent or a key is in the log", async () => {
  await using here = await log(30)
  await using there = await log(30, "svc:agent:other")
  const paths = [
    "",
    "/checkpoint",
    "/tile/0/000.p/30",
    "/tile/entries/000.p/30",
    "/tile/0/000",
    "/inclusion/3/30",
    "/consistency/3/30",
    "/inclusion/svc:agent:0/30",
    "/tile/svc:agent:0",
  ]
  for (const path of paths) {
    const [one, other] = await Promise.all([here.ask(path), there.ask(path)])
    const names = (answer: Response) => [...answer.headers.keys()].filter((name) => name !== "x-request-id")
    expect([path, other.status, names(other)]).toEqual([path, one.status, names(one)])
    const [text, otherText] = await Promise.all([one.arrayBuffer(), other.arrayBuffer()])
    expect([path, otherText.byteLength]).toEqual([path, text.byteLength])
  }
})
