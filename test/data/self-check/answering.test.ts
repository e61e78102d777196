/** Whether the process that serves answers, where its record says that it listens. The process of the test is the one that serves. */
import { afterAll, beforeEach, expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { recordRunning } from "../../../src/data/running-settings.ts"
import { answeringLine } from "../../../src/data/self-check/answering.ts"
import { freshDirectory } from "../../fixtures/directories.ts"

const fresh = freshDirectory()
afterAll(() => fresh[Symbol.dispose]())
const recorded = (origin: string) =>
  recordRunning(fresh.path, { texts: {}, at: "2026-01-01T00:00:00.000Z", origin, handedOver: [], desk: null })
const answers = (status: number) =>
  Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: ({ url }) => new Response(url, { status }) })

beforeEach(() => rmSync(join(fresh.path, "running.json"), { force: true }))

test("a process that listens on all addresses is asked on loopback", async () => {
  await using server = answers(200)
  const origin = `http://0.0.0.0:${server.port}`
  recorded(origin)
  expect(await answeringLine(fresh.path)).toMatchObject({
    state: "OK",
    what: `process ${process.pid} answers at ${origin}`,
  })
})

test("another status, a closed port and silence are problems", async () => {
  await using failing = answers(500)
  recorded(failing.url.origin)
  expect(await answeringLine(fresh.path)).toMatchObject({
    state: "PROBLEM",
    what: expect.stringMatching(/: HTTP 500$/),
  })
  await failing.stop(true)
  expect(await answeringLine(fresh.path)).toMatchObject({ what: expect.stringMatching(/: ECONNREFUSED$/) })

  const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
  recorded(`http://127.0.0.1:${silent.port}`)
  const started = performance.now()
  expect(await answeringLine(fresh.path, 100)).toMatchObject({ what: expect.stringMatching(/: ETIMEDOUT$/) })
  expect(performance.now() - started).toBeLessThan(4_000)
  silent.stop(true)
})

test("without a process that serves the line says what to do", async () => {
  expect(await answeringLine(fresh.path)).toMatchObject({
    state: "PROBLEM",
    what: `no process on this machine serves from ${fresh.path}`,
    mend: expect.stringContaining("bizauth serve"),
  })
})
