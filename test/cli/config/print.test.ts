import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "../../../src/base/exit.ts"
import { command } from "../../../src/cli/config/print.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const fresh = freshDirectory()

function fileWith(line: string): string {
  const file = join(fresh.path, "bizauth.toml")
  writeFileSync(file, `${line}\n`)
  return file
}

test.each([
  ["file", () => ["--config", fileWith('shutdown_seconds = "020"')], {}],
  ["flag", () => ["--shutdown-seconds", "020"], {}],
  ["environment", () => [], { BIZAUTH_SHUTDOWN_SECONDS: "020" }],
] as const)(
  "a value from %s is printed as the operator wrote it, with its origin",
  async (origin, flags, environment) => {
    const { exit, out } = await runCommand(command, [...flags(), "--origin"], environment)
    expect(exit).toBe(EXIT.DONE)
    expect(out.split("\n")).toContain(`shutdown_seconds = "020"  # ${origin}`)
    const json = JSON.parse((await runCommand(command, [...flags(), "--json"], environment)).out)
    expect([json.settings.shutdown_seconds, json.origins.shutdown_seconds]).toEqual(["020", origin])
  },
)
