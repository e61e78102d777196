import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "../../../src/base/exit.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { command } from "../../../src/cli/documents/export.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { runCommand } from "../../fixtures/terminal.ts"

test("an unknown id exits with 5 and writes nothing; a missing data directory exits with 7", async () => {
  using folder = freshDirectory()
  const data = join(folder.path, "data")
  const out = join(folder.path, "bundle.json")
  expect((await runCommand(command, ["dec_x", "--data", data, "--out", out])).exit).toBe(EXIT.DATA)
  await createDataDirectory(data, "test", realMachine)
  const ran = await runCommand(command, ["dec_x", "--data", data, "--out", out])
  expect([ran.exit, ran.out]).toEqual([EXIT.NOT_FOUND, ""])
  expect(existsSync(out)).toBe(false)
})

test("without an id the command prints its usage", async () => {
  expect((await runCommand(command, ["--data", "nowhere"])).exit).toBe(EXIT.USAGE)
})
