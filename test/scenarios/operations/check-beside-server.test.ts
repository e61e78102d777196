/** `bizauth check` on a directory that a server uses. */
import { expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import type { Line } from "../../../src/data/self-check/line.ts"
import { run, serve } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { until } from "../../fixtures/until.ts"

test("the check of a running server's directory changes nothing", async () => {
  using folder = freshDirectory()
  const data = join(folder.path, "data")
  await createDataDirectory(data, "test", realMachine, { logHost: "127.0.0.1:8402" })
  await using _ = await serve(data)
  const recorded = ["running.json", "log-size.json"]
  await until("the server has recorded its settings and its log", () =>
    recorded.every((name) => existsSync(join(data, name))),
  )
  const content = () =>
    createHash("sha256")
      .update(readFileSync(join(data, "bizauth.db")))
      .digest("hex")
  const [before, files] = [content(), readdirSync(data).sort()]
  const { out } = await run(["check", "--data", data, "--json", "--offline"])
  const lines = (JSON.parse(out) as { lines: readonly Line[] }).lines
  expect(lines.find(({ area, name }) => area === "directory" && name === "schema")?.state).toBe("OK")
  expect([content(), readdirSync(data).sort()]).toEqual([before, files])
}, 60_000)
