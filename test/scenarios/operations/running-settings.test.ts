/** `check` beside a running server: what the server got as a flag, what the file says since, and whether it answers. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "../../../src/base/exit.ts"
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

test("check --running asks the process alone, also beside a broken configuration file", async () => {
  using folder = freshDirectory()
  const data = await initialised(folder.path)
  const probe = () => run(["check", "--running"], { environment: { BIZAUTH_DATA: data } })
  expect(await probe()).toMatchObject({
    exit: EXIT.PROBLEMS,
    out: expect.stringContaining("no process on this machine"),
  })
  const running = await serve(data)
  await until("it is recorded", () => existsSync(join(data, "running.json")))
  writeFileSync(join(data, "bizauth.toml"), "[broken")
  const line = `ok       machine answers: process ${running.pid} answers at ${running.origin}\n`
  expect(await probe()).toEqual({ exit: 0, err: "", out: `${line}0 problems, 0 notes, 1 ok, 0 not checked\n` })
  await running.kill()
  expect((await probe()).exit).toBe(EXIT.PROBLEMS)
})
