/** `config set` and the flags of `install-unit` write the file that `serve` reads. */
import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { commentedFile } from "../../../src/base/config.ts"
import { EXIT } from "../../../src/base/exit.ts"
import { command as print } from "../../../src/cli/config/print.ts"
import { command as set } from "../../../src/cli/config/set.ts"
import { command as installUnit } from "../../../src/cli/install-unit.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const fresh = freshDirectory()
afterAll(() => fresh[Symbol.dispose]())
const file = join(fresh.path, "bizauth.toml")
const text = () => readFileSync(file, "utf8")
const settings = async () => JSON.parse((await runCommand(print, ["--data", fresh.path, "--json"])).out).settings
const change = (...words: string[]) => runCommand(set, [...words, "--data", fresh.path])

beforeEach(() => {
  rmSync(file, { force: true })
  writeFileSync(file, `# kept\n${commentedFile({ log_level: "warn" })}`, { mode: 0o640 })
})

describe("config set", () => {
  test("writes one setting, keeps every other line and the mode, and says what was before", async () => {
    const before = text()
    const ran = await change("log_level", "debug")
    expect([ran.exit, ran.out]).toEqual([EXIT.DONE, expect.stringContaining('(before: "warn")')])
    expect(text()).toBe(before.replace('log_level = "warn"', 'log_level = "debug"'))
    expect(statSync(file).mode & 0o777).toBe(0o640)
    expect((await settings()).log_level).toBe("debug")
    await change("shutdown-seconds", "9")
    expect((await settings()).shutdown_seconds).toBe("9")
    expect((await change("log_level", "--unset")).exit).toBe(EXIT.DONE)
    expect((await settings()).log_level).toBe("info")
  })

  test("makes the file where there is none, for its owner only", async () => {
    rmSync(file)
    expect((await change("log_level", "debug")).exit).toBe(EXIT.DONE)
    expect([text(), statSync(file).mode & 0o777]).toEqual(['log_level = "debug"\n', 0o600])
  })

  test("writes the absolute path of a secret, because a server starts in another folder", async () => {
    await change("relayer_key_file", "./relayer.key")
    expect((await settings()).relayer_key_file).toBe(join(process.cwd(), "relayer.key"))
  })

  test.each([
    [["log_levle", "debug"], EXIT.USAGE, '"log_level"'],
    [["log_level"], EXIT.USAGE, "needs a VALUE, or --unset"],
    [["log_level", "debug", "--unset"], EXIT.USAGE, "needs a VALUE, or --unset"],
    [["log_level", "loud"], EXIT.CONFIG, "log_level must be one of"],
  ] as const)("refuses %j and changes nothing", async (words, exit, why) => {
    const before = text()
    expect(await change(...words)).toMatchObject({ exit, err: expect.stringContaining(why) })
    expect(text()).toBe(before)
  })

  test("refuses a file that others can change, and one that is no TOML", async () => {
    chmodSync(file, 0o666)
    expect((await change("log_level", "debug")).exit).toBe(EXIT.CONFIG)
    chmodSync(file, 0o600)
    writeFileSync(file, "log_level = \n")
    expect((await change("log_level", "debug")).exit).toBe(EXIT.CONFIG)
  })
})

describe("install-unit", () => {
  test("writes the flags in use into the file, so that the unit needs none", async () => {
    const flags = ["--payments", "test", "--rpc-url", "http://127.0.0.1:1", "--backup-dir", "./backups"]
    const ran = await runCommand(installUnit, ["--data", fresh.path, ...flags])
    expect([ran.exit, ran.err]).toEqual([EXIT.DONE, expect.stringContaining("payments, rpc_url")])
    expect(await settings()).toMatchObject({
      payments: "test",
      rpc_url: "http://127.0.0.1:1",
      backup_dir: join(process.cwd(), "backups"),
    })
    expect(ran.out).toContain(`ReadWritePaths=${fresh.path} ${join(process.cwd(), "backups")}`)
    const before = text()
    expect((await runCommand(installUnit, ["--data", fresh.path])).exit).toBe(EXIT.DONE)
    expect(text()).toBe(before)
  })
})
