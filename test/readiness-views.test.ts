/** Every surface says the same about readiness, however long the server has run, whatever payments are, and whether anybody asked. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { readinessSamples } from "../src/admin/readiness-samples.ts"
import { realMachine } from "../src/base/machine.ts"
import { command as check } from "../src/cli/check.ts"
import { SECOND } from "../src/core/time.ts"
import type { Line } from "../src/data/self-check/line.ts"
import { routes } from "../src/server/app.ts"
import { freshDirectory } from "./fixtures/directories.ts"
import { BASE_URL, testService } from "./fixtures/service.ts"
import { slowTests } from "./fixtures/slow-tests.ts"
import { steppedMachine } from "./fixtures/stepped-machine.ts"
import { runCommand } from "./fixtures/terminal.ts"

const test = slowTests(import.meta.path)

const FULL_DISK = { disk_free_min_mb: "1000000" }

let folder: ReturnType<typeof freshDirectory>
beforeAll(() => {
  folder = freshDirectory()
  writeFileSync(join(folder.path, "relayer"), `0x${"11".repeat(32)}`, { mode: 0o600 })
})
afterAll(() => folder[Symbol.dispose]())
/** Payments on, and a node that does not answer. */
const noNode = () => ({
  payments: "test",
  rpc_url: "http://127.0.0.1:9",
  pay_to: "0x1111111111111111111111111111111111111111",
  relayer_key_file: join(folder.path, "relayer"),
})
const NO_NODE_CODES = ["CHAIN_UNAVAILABLE", "CHAIN_UNVERIFIED"]

/** What each surface names as reasons. */
async function views({ service, directory }: Awaited<ReturnType<typeof testService>>, flags: readonly string[]) {
  const app = routes(service)
  const read = (path: string, accept: string) => app.handle(new Request(BASE_URL + path, { headers: { accept } }))
  const readyz = (await (await read("/readyz", "application/json")).json()) as { reason_codes?: string[] }
  const page = await (await read("/status", "text/html")).text()
  const samples = await readinessSamples(service.readiness)
  const checked = await runCommand(check, ["--data", directory, "--json", ...flags])
  if (checked.err !== "") throw new Error(checked.err)
  const problems = (JSON.parse(checked.out).lines as Line[]).filter(({ state }) => state === "PROBLEM")
  const has = (name: string) => problems.find((line) => line.name === name)
  return {
    readyz: readyz.reason_codes ?? [],
    page: [...page.matchAll(/runbook#[a-z_]+"><code>([A-Z_]+)/g)].map(([, code]) => code),
    metrics: samples.flatMap(({ metric, labels, value }) =>
      metric === "bizauth_not_ready" && value === 1 ? [labels["reason"]] : [],
    ),
    refusal: service.delivery.notReady(1n).map(({ code }) => code),
    check: [...(has("disk") ? ["DISK_LOW"] : []), ...(has("primary node")?.what.match(/\bCHAIN_[A-Z]+/g) ?? [])],
  }
}

describe.each([
  ["a healthy server with payments off", () => ({}), []],
  ["a server with a full disk and payments off", () => FULL_DISK, ["DISK_LOW"]],
  ["a server with payments on whose node does not answer", noNode, NO_NODE_CODES],
])("%s", (_, settingsOf, codes) => {
  test.each([1, 20, 60])("says the same on every surface after %d s", async (seconds) => {
    const machine = steppedMachine(realMachine.now())
    const settings: Readonly<Record<string, string>> = settingsOf()
    await using running = await testService(machine, settings)
    const { readiness, workers } = running.service
    const run = readiness.run.bind(readiness)
    let lastRun: Promise<void> = Promise.resolve()
    readiness.run = () => {
      lastRun = run()
      return lastRun
    }
    await running.service.open()
    for (const worker of workers) worker.start()
    await machine.pass(seconds * SECOND, () => Bun.sleep(0).then(() => lastRun))
    const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name.replaceAll("_", "-")}`, value])
    const all = { readyz: codes, page: codes, metrics: codes, refusal: codes, check: codes }
    // The refusal first: it is read without a new run.
    expect(running.service.delivery.notReady(1n).map(({ code }) => code)).toEqual(codes)
    expect(await views(running, flags)).toEqual(all)
  })
})
