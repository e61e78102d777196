/** `check` beside a running server: what the server got as a flag, and what the file says since. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { initialised, run, serve } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { until } from "../../fixtures/until.ts"

setDefaultTimeout(60_000)

const fresh = freshDirectory()
afterAll(() => fresh[Symbol.dispose]())

test("check names the settings in which the running process differs, flags included, until it starts again", async () => {
  const data = await initialised(fresh.path)
  const checked = async (...flags: string[]) => {
    const { out } = await run(["check", "--data", data, "--offline", "--json", ...flags])
    const { lines } = JSON.parse(out) as { lines: { name: string; state: string; what: string }[] }
    return lines.find(({ name }) => name === "running")
  }
  const listen = ["--listen", "127.0.0.1:0"]
  const begun = async () => {
    const running = await serve(data)
    await until("it is recorded", () => existsSync(join(data, "running.json")))
    return running
  }
  const running = await begun()
  expect(await checked()).toMatchObject({ state: "NOTE", what: expect.stringMatching(/has other values of listen$/) })
  expect((await checked(...listen))?.state).toBe("OK")
  expect((await run(["config", "set", "log_level", "debug", "--data", data])).exit).toBe(0)
  expect((await checked(...listen))?.what).toEndWith("other values of log_level")
  await running.kill()
  expect((await checked())?.what).toStartWith("no process serves")
  rmSync(join(data, "running.json"))
  const again = await begun()
  expect((await checked(...listen))?.state).toBe("OK")
  expect(await again.stop()).toBe(0)
  expect(existsSync(join(data, "running.json"))).toBe(false)
})
