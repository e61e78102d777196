/** The lists as a mirror brings them to a running service. Runs against the compiled file when BIZAUTH_BINARY names it. */
import { expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { REQUIRED_US_SOURCES, SOURCE_IDS } from "../../../src/sources/records/party.ts"
import { initialised, run, serve } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { file, publisher } from "../../fixtures/publisher.ts"
import { sampleLists } from "../../fixtures/sample-lists.ts"

const LOOK_MS = 5000

interface Fetched {
  readonly source_id: string
  readonly outcome: string
}

test("a running service takes over lists that are fetched from a mirror, and a second fetch finds nothing new", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  await using mirror = await publisher(false)
  for (const [id, files] of Object.entries(sampleLists({ publishedAt: Date.now() }))) {
    for (const { name, bytes } of files)
      mirror.answer(`/lists/${id}/${name}`, file(bytes, { ETag: `"${Bun.hash(bytes)}"` }))
  }
  const environment = { BIZAUTH_SOURCE_MIRROR: `http://127.0.0.1:${mirror.port}/lists` }
  const fetched = async () => {
    const { exit, out, err } = await run(["sources", "fetch", "--json", "--data", data], { environment })
    const { sources } = JSON.parse(out) as { sources: Fetched[] }
    return { exit, err, outcomes: sources.map(({ source_id, outcome }) => [source_id, outcome]) }
  }
  await using server = await serve(data)
  expect(await fetched()).toEqual({ exit: 0, err: "", outcomes: SOURCE_IDS.map((id) => [id, "IMPORTED"]) })
  const health = async () => {
    const answer = await fetch(`${server.origin}/v1/us/federal/source-health`)
    const { sources } = (await answer.json()) as { sources: { health: string }[] }
    return sources.map((one) => one.health)
  }
  const wanted = REQUIRED_US_SOURCES.map(() => "HEALTHY")
  for (const end = performance.now() + LOOK_MS; performance.now() < end; await Bun.sleep(150)) {
    if (Bun.deepEquals(await health(), wanted)) break
  }
  expect(await health()).toEqual(wanted)
  const requests = mirror.requests.length
  expect(await fetched()).toEqual({ exit: 0, err: "", outcomes: SOURCE_IDS.map((id) => [id, "NOT_MODIFIED"]) })
  const again = mirror.requests.slice(requests).filter(({ headers }) => "if-none-match" in headers)
  expect(again.length).toBeGreaterThanOrEqual(SOURCE_IDS.length)
  for (const id of SOURCE_IDS) expect(readdirSync(join(data, "snapshots", id))).toHaveLength(1)
})
