/** Words of a command that the program prints, as a shell and then the command line read them. */
import { expect, test } from "bun:test"
import { readInput } from "../../src/cli/command.ts"
import { shellFlag } from "../../src/cli/rows.ts"
import { command as status } from "../../src/cli/sources/status.ts"

test.each(["./data", "/srv/my data", "./São Paulo/d'água", "-x", "-a b", "~/data", "$HOME", "a=b", ""])(
  "a flag with the value %p arrives unchanged",
  (value) => {
    const shell = Bun.spawnSync(["bash", "-c", `printf '%s\\0' ${shellFlag("data", value)}`])
    const words = shell.stdout.toString().split("\0").slice(0, -1)
    const terminal = { out: () => {}, err: () => {}, environment: {} }
    expect(readInput(status, words, terminal).text("data")).toBe(value)
  },
)
