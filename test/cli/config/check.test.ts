import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "../../../src/base/exit.ts"
import { command } from "../../../src/cli/config/check.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const fresh = freshDirectory()

test.each([
  ['backup_every = "0"', EXIT.DONE, ""],
  ['backup_every = "00"', EXIT.CONFIG, "backup_every needs backup_dir: the folder for the backups"],
] as const)("%s without backup_dir: config check exits with %d", async (line, exit, err) => {
  const file = join(fresh.path, "bizauth.toml")
  writeFileSync(file, `${line}\n`)
  expect(await runCommand(command, ["--config", file])).toMatchObject({ exit, err })
})
