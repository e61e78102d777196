import { afterEach, beforeEach, expect } from "bun:test"
import { join } from "node:path"
import type { AgentStatus } from "../../../schemas/agent-id/identity.ts"
import { unlimited } from "../../../src/http/rate-limit.ts"
import { KEPT_IDENTITIES_MAX, KeptIdentities } from "../../../src/products/agent-id/kept-identities.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { openService, type Service } from "./service.ts"

const test = slowTests(import.meta.path)

let service: Service
let path: string
let agentId: string
beforeEach(async () => {
  service = await openService({ limiter: unlimited })
  agentId = (await service.enrolled()).result.agent_id
  path = `/v1/agent-identities/${agentId}`
})
afterEach(() => service.close())

/** The child of `moving-head.ts`; `move` resolves once its commit was acknowledged. */
function otherProcess() {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "moving-head.ts"), service.address], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  })
  const reader = child.stdout.getReader()
  const move = async (round: number) => {
    child.stdin.write(`${round}\n`)
    child.stdin.flush()
    const { value } = await reader.read()
    return Number(new TextDecoder().decode(value))
  }
  const end = async () => {
    child.stdin.write("end\n")
    child.stdin.end()
    await child.exited
  }
  return { move, end }
}

test("the next read sees what another process committed, even during other reads", async () => {
  await using server = service.listen()
  const { move, end } = otherProcess()
  const get = (suffix: string) => fetch(`${server.origin}${path}${suffix}`)
  let isBusy = true
  const others = Array.from({ length: 8 }, async () => {
    while (isBusy) await (await get("/status")).text()
  })
  const wrong: string[] = []
  for (let round = 1; round <= 150; round++) {
    const sequence = await move(round)
    const [status, jwks] = await Promise.all([get("/status"), get("/jwks.json")])
    const { payload } = (await status.json()) as AgentStatus
    if (payload.sequence !== sequence) wrong.push(`status of round ${round}`)
    if (jwks.headers.get("etag") !== `"${payload.head_event_digest}"`) wrong.push(`jwks of round ${round}`)
  }
  isBusy = false
  await Promise.all(others)
  await end()
  expect(wrong).toEqual([])
})

/** The store of the service. Counts reads. `version`: in place of its own. */
function countedStore(version: () => number | Promise<number>) {
  const { store } = service
  const counted = {
    reads: 0,
    run: store.run.bind(store),
    runInPlace: store.runInPlace.bind(store),
    read: <T>(unit: Parameters<typeof store.read<T>>[0]) => {
      counted.reads++
      return store.read(unit)
    },
    readTogether: store.readTogether.bind(store),
    version,
    close: () => store.close(),
  }
  return counted
}

test("without a new commit the database is not read again, and a version that is a number needs no promise", async () => {
  // Every database of a server shares its versions, so those of PostgreSQL change by commits of other tests.
  let version = 1
  const counted = countedStore(() => version)
  const identities = new KeptIdentities(counted)
  const first = await identities.find(agentId, null)
  expect(identities.find(agentId, null)).toBe(first)
  expect(identities.find(agentId, null)).toBe(first)
  expect(counted.reads).toBe(1)
  // A commit of this process that does not move the head: the row is read again, and the cached object stays.
  await service.enrolled()
  version++
  expect(await identities.find(agentId, null)).toBe(first)
  expect(counted.reads).toBe(2)
})

test("a version that a store must request is requested once in a poll, and decides the same", async () => {
  let requests = 0
  let version = 1
  const counted = countedStore(async () => {
    requests++
    return version
  })
  const identities = new KeptIdentities(counted)
  const first = await identities.find(agentId, 1)
  expect([requests, counted.reads]).toEqual([2, 1])
  expect(await Promise.all([identities.find(agentId, 2), identities.find(agentId, 2)])).toEqual([first, first])
  expect([requests, counted.reads]).toEqual([3, 1])
  await service.enrolled()
  version++
  expect(await identities.find(agentId, 3)).toBe(first)
  expect(counted.reads).toBe(2)
})

test("the cache holds at most the limit, and a dropped identity is read again", async () => {
  const row = { identityStatus: "ACTIVE", sequence: 0, headEventDigest: "", headAcceptedAt: "", keys: [] } as const
  let reads = 0
  const identities = new KeptIdentities({
    run: () => Promise.reject(new Error("nothing is written")),
    runInPlace: () => Promise.reject(new Error("nothing is written")),
    read: async <T>() => {
      reads++
      return { identity: { ...row, agentId: "" }, treeSize: 1 } as T
    },
    readTogether: () => Promise.reject(new Error("nothing is read together")),
    version: () => 1,
    close: async () => {},
  })
  const id = (n: number) => `svc:agent:${String(n).padStart(32, "0")}`
  for (let n = 0; n <= KEPT_IDENTITIES_MAX; n++) await identities.find(id(n), null)
  expect(reads).toBe(KEPT_IDENTITIES_MAX + 1)
  await identities.find(id(KEPT_IDENTITIES_MAX), null)
  expect(reads).toBe(KEPT_IDENTITIES_MAX + 1)
  await identities.find(id(0), null)
  expect(reads).toBe(KEPT_IDENTITIES_MAX + 2)
})
