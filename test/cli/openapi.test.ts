import { expect } from "bun:test"
import { join } from "node:path"
import { version } from "../../package.json"
import { EXIT } from "../../src/base/exit.ts"
import { realMachine } from "../../src/base/machine.ts"
import { command } from "../../src/cli/openapi.ts"
import { openapiText } from "../../src/discovery/openapi/document.ts"
import { routes } from "../../src/server/app.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { testService } from "../fixtures/service.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { runCommand } from "../fixtures/terminal.ts"

const test = slowTests(import.meta.path)

const BASE = "https://authorize.example"

test("the command prints the bytes that a server with the same settings prints of its own rows", async () => {
  const settings = {
    agent_id_channels: "acp,one,two,three,four,five",
    issuer_name: "Example Operator",
    agent_mode_planning: "on",
  }
  await using running = await testService(realMachine, settings, BASE)
  routes(running.service)
  const { shell, config } = running.service
  const operations = shell.served?.rows() ?? []
  const served = openapiText({
    baseUrl: BASE,
    issuerName: config.issuer_name,
    operations,
    network: running.service.network.asset.network,
    version,
  })
  const flags = [
    "--agent-id-channels",
    settings.agent_id_channels,
    "--issuer-name",
    settings.issuer_name,
    "--agent-mode-planning",
    "on",
  ]
  expect(await runCommand(command, ["--base-url", BASE, ...flags])).toEqual({ exit: EXIT.DONE, out: served, err: "" })
})

test("--out writes the same bytes to a new file and never overwrites one", async () => {
  using directory = freshDirectory()
  const file = join(directory.path, "openapi.json")
  const printed = await runCommand(command, ["--base-url", BASE])
  expect(await runCommand(command, ["--base-url", BASE, "--out", file])).toEqual({ exit: EXIT.DONE, out: "", err: "" })
  expect(await Bun.file(file).text()).toBe(printed.out)
  expect((await runCommand(command, ["--out", file])).exit).toBe(EXIT.USAGE)
})

test("without a base URL the document names the listening address, and a wrong one ends the command", async () => {
  const { out } = await runCommand(command, [])
  expect(JSON.parse(out)).toMatchObject({ servers: [{ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) }] })
  expect((await runCommand(command, ["--base-url", "authorize.example"])).exit).toBe(EXIT.CONFIG)
})
