/** Every surface says the same about readiness, however long the server has run, whatever payments are, and whether anybody asked. */
import { describe, expect, test } from "bun:test"
import { readinessSamples } from "../src/admin/readiness-samples.ts"
import { routes } from "../src/app.ts"
import { command as check } from "../src/cli/check.ts"
import { SECOND } from "../src/core/time.ts"
import { realMachine } from "../src/machine.ts"
import type { Line } from "../src/self-check/line.ts"
import { BASE_URL, testService } from "./fixtures/service.ts"
import { steppedMachine } from "./fixtures/stepped-machine.ts"
import { runCommand } from "./fixtures/terminal.ts"

const FULL_DISK = { disk_free_min_mb: "1000000" }

/** What each surface names as reasons. */
async function views({ service, directory }: Awaited<ReturnType<typeof testService>>, flags: readonly string[]) {
  const app = routes(service)
  const read = (path: string, accept: string) => app.handle(new Request(BASE_URL + path, { headers: { accept } }))
  const readyz = (await (await read("/readyz", "application/json")).json()) as { reason_codes?: string[] }
  const page = await (await read("/status", "text/html")).text()
  const samples = await readinessSamples(service.readiness)
  const checked = await runCommand(check, ["--data", directory, "--offline", "--json", ...flags])
  if (checked.err !== "") throw new Error(checked.err)
  const disk = (JSON.parse(checked.out).lines as Line[]).find(({ name }) => name === "disk")
  return {
    readyz: readyz.reason_codes ?? [],
    page: [...page.matchAll(/runbook#[a-z_]+"><code>([A-Z_]+)/g)].map(([, code]) => code),
    metrics: samples.flatMap(({ metric, labels, value }) =>
      metric === "bizauth_not_ready" && value === 1 ? [labels["reason"]] : [],
    ),
    refusal: service.delivery.notReady(1n).map(({ code }) => code),
    check: disk?.state === "PROBLEM" ? ["DISK_LOW"] : [],
  }
}

describe.each([
  ["a healthy server", {}, []],
  ["a server with a full disk", FULL_DISK, ["DISK_LOW"]],
])("%s with payments off", (_, settings, codes) => {
  test.each([1, 20, 60])("says the same on every surface after %d s", async (seconds) => {
    const machine = steppedMachine(realMachine.now())
    await using running = await testService(machine, settings)
    const { readiness, workers } = running.service
    const look = readiness.look.bind(readiness)
    let looking: Promise<void> = Promise.resolve()
    readiness.look = () => {
      looking = look()
      return looking
    }
    for (const worker of workers) worker.start()
    await machine.pass(seconds * SECOND, () => Bun.sleep(0).then(() => looking))
    const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name.replaceAll("_", "-")}`, value])
    const all = { readyz: codes, page: codes, metrics: codes, refusal: codes, check: codes }
    // The refusal first: it is read without a new look.
    expect(running.service.delivery.notReady(1n).map(({ code }) => code)).toEqual(codes)
    expect(await views(running, flags)).toEqual(all)
  })
})
