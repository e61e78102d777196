/** Where a command that opens a data directory takes `database_file` from. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "../../src/base/exit.ts"
import type { Command } from "../../src/cli/command.ts"
import { command as init } from "../../src/cli/init.ts"
import { CONFIG_FLAGS, openData } from "../../src/cli/inputs.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { runCommand } from "../fixtures/terminal.ts"

const directory = freshDirectory()
const data = join(directory.path, "data")

const opening = (databaseFile?: null): Command => ({
  name: "open",
  summary: "open a data directory",
  operands: "",
  flags: CONFIG_FLAGS,
  examples: ["open"],
  async run(input) {
    const { store } = await openData(input, databaseFile === undefined ? {} : { databaseFile })
    await store.close()
    return EXIT.DONE
  },
})

beforeAll(async () => {
  expect((await runCommand(init, ["--environment", "test", "--data", data])).exit).toBe(EXIT.DONE)
})
afterAll(() => directory[Symbol.dispose]())

test("a command that has read the settings gives it, and it is not read again", async () => {
  const named = { BIZAUTH_DATABASE_FILE: join(directory.path, "database.url") }
  const { exit, err } = await runCommand(opening(), ["--data", data], named)
  expect([exit, err]).toEqual([EXIT.DATA, expect.stringContaining("database_file names a server")])
  expect((await runCommand(opening(null), ["--data", data], named)).exit).toBe(EXIT.DONE)
})

test("a directory with a database file opens beside a configuration with a fault, and one without is refused", async () => {
  const faulty = join(directory.path, "faulty.toml")
  writeFileSync(faulty, "listen = \n", { mode: 0o600 })
  expect((await runCommand(opening(), ["--data", data, "--config", faulty])).exit).toBe(EXIT.DONE)
  const { exit, err } = await runCommand(opening(), ["--data", join(directory.path, "none"), "--config", faulty])
  expect([exit, err]).toEqual([EXIT.CONFIG, expect.stringContaining("is not TOML")])
})
