/** The check that the unit runs before each start. */
import { expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import { initialised, run } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { writeSampleLists } from "../../fixtures/sample-lists.ts"

setDefaultTimeout(60_000)

test("its check before the start passes with stale lists, and with the settings as it sets them", async () => {
  using folder = freshDirectory()
  const data = await initialised(folder.path)
  const lists = writeSampleLists(join(folder.path, "lists"), { publishedAt: Date.now() - 400 * 24 * 3600 * 1000 })
  for (const [id, path] of Object.entries(lists)) await run(["sources", "import", id, path, "--data", data])
  const checked = await run(["config", "check"], { environment: { BIZAUTH_DATA: data } })
  expect([checked.exit, checked.err]).toEqual([0, ""])
})
