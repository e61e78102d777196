/** A service that fetches its lists by itself. Runs against the compiled file when BIZAUTH_BINARY names it. */
import { expect, setDefaultTimeout, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { SOURCE_IDS } from "../../../src/sources/records/party.ts"
import { initialised, type Running, run, serve } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { type Mirror, mirrorOf } from "../../fixtures/mirror.ts"

const IN_TIME_MS = 60_000
setDefaultTimeout(120_000)

const SDN = "US_OFAC_SDN"

interface Line {
  readonly source_id: string
  readonly health: string
  readonly last_attempt: { readonly outcome: string } | null
  readonly next_attempt_at: string | null
}

/** Asks four times a second: an address may ask a server for 600 answers a minute. */
async function until<T>(ask: () => Promise<T>, done: (answer: T) => boolean): Promise<T> {
  for (const end = performance.now() + IN_TIME_MS; ; await Bun.sleep(250)) {
    const answer = await ask()
    if (done(answer)) return answer
    if (performance.now() > end) throw new Error(`not so in time: ${JSON.stringify(answer)}`)
  }
}

async function lines(server: Running): Promise<readonly Line[]> {
  const answer = await fetch(`${server.origin}/v1/us/federal/source-health`)
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  return ((await answer.json()) as { sources: Line[] }).sources
}

async function status(data: string): Promise<Record<string, Line>> {
  const { out } = await run(["sources", "status", "--json", "--data", data])
  const { sources } = JSON.parse(out) as { sources: Line[] }
  return Object.fromEntries(sources.map((line) => [line.source_id, line]))
}

const flags = (mirror: Mirror) => ["--sources-fetch=on", `--source-mirror=${mirror.origin}/`]

/** The running rounds for this data directory, whichever process started them. */
function fetching(data: string): number[] {
  const words = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
    } catch {
      return []
    }
  }
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  const isOurs = (said: string[]) => said.includes("fetch") && said.includes(`--data=${data}`)
  return pids.filter((pid) => isOurs(words(pid))).map(Number)
}

test.concurrent("a service with fetching enabled fetches every list, is HEALTHY, reports its next fetch, and restarts without another fetch", async () => {
  using fresh = freshDirectory()
  using mirror = mirrorOf(Date.now() - 3_600_000)
  const data = await initialised(fresh.path)
  await using server = await serve(data, flags(mirror))
  const first = await lines(server)
  expect(first.map(({ health }) => health)).toEqual(Array(4).fill("UNAVAILABLE"))
  // The next fetch of a list is planned a moment after its import.
  const isPlanned = ({ next_attempt_at }: Line) => Date.parse(next_attempt_at ?? "") > Date.now()
  const all = await until(
    () => lines(server),
    (now) => now.every((line) => line.health === "HEALTHY" && isPlanned(line)),
  )
  for (const { last_attempt } of all) expect(last_attempt?.outcome).toBe("IMPORTED")
  // A round ends when its result is logged; a stop before that costs one more request.
  for (const id of SOURCE_IDS) await server.logged(`"event":"source_fetched","source_id":"${id}","outcome":"IMPORTED"`)
  expect((await status(data))["UK_SANCTIONS_LIST"]?.health).toBe("HEALTHY")
  expect(await server.stop()).toBe(0)
  const requests = mirror.answered.length
  await using again = await serve(data, [...flags(mirror), "--log-level=debug"])
  // It checked, and no source was due.
  await again.logged('"source_fetch_planned"')
  expect(mirror.answered).toHaveLength(requests)
  expect(await again.stop()).toBe(0)
  const { out } = await run(["sources", "history", SDN, "--data", data])
  expect(out).toMatch(/HEALTH {7}UNAVAILABLE -> HEALTHY[\s\S]*IMPORTED/)
})

test.concurrent("a stop during a round also stops the child process, and the next start fetches again", async () => {
  using fresh = freshDirectory()
  using mirror = mirrorOf(Date.now() - 3_600_000)
  const data = await initialised(fresh.path)
  const held = mirror.hold(SDN)
  await using server = await serve(data, flags(mirror))
  await held.requests
  expect(fetching(data)).toHaveLength(1)
  expect(await server.stop()).toBe(0)
  expect(fetching(data)).toEqual([])
  held.letGo()
  await using again = await serve(data, flags(mirror))
  await until(
    () => lines(again),
    (now) => now.every(({ health }) => health === "HEALTHY"),
  )
})

test.concurrent("when a service is killed during a round, its child process ends by itself and changes nothing", async () => {
  using fresh = freshDirectory()
  using mirror = mirrorOf(Date.now() - 3_600_000)
  const data = await initialised(fresh.path)
  const held = mirror.hold(SDN)
  const server = await serve(data, flags(mirror))
  await held.requests
  await server.kill()
  expect(fetching(data)).toHaveLength(1)
  // The next service does not wait for it, and the second round leaves the first alone.
  await using again = await serve(data, flags(mirror))
  await until(
    () => lines(again),
    (now) => now.filter(({ health }) => health === "HEALTHY").length === 3,
  )
  held.letGo()
  await until(
    () => lines(again),
    (now) => now.every(({ health }) => health === "HEALTHY"),
  )
  await until(
    async () => fetching(data),
    (pids) => pids.length === 0,
  )
  const { out } = await run(["sources", "history", SDN, "--json", "--data", data])
  const kinds = (JSON.parse(out) as { history: { kind: string }[] }).history.map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === "IMPORTED")).toHaveLength(1)
})
