/** The table of operations names exactly what a server serves, so that documents can be printed without one. */
import { expect, test } from "bun:test"
import * as pageRows from "../../schemas/pages.ts"
import { realMachine } from "../../src/base/machine.ts"
import { commaList } from "../../src/core/text/comma-list.ts"
import { operationTable } from "../../src/discovery/operations.ts"
import { routes } from "../../src/server/app.ts"
import { testService } from "../fixtures/service.ts"

test("the table and the rows that the route map registers are equal", async () => {
  const channels = "acp,one,two,three,four,five"
  await using running = await testService(realMachine, { agent_id_channels: channels, acp_channel: "two" })
  const app = routes(running.service)
  const served = running.service.shell.served?.rows() ?? []
  expect(served.length).toBeGreaterThan(70)
  expect(operationTable(commaList(channels), "two")).toEqual(served)
  const routed = app.routes.map(({ method, path }) => `${method} ${path.replace(/:([A-Za-z]+)/g, "{$1}")}`)
  const pages = Object.values(pageRows).map(({ method, path }) => `${method} ${path}`)
  expect([...served.map(({ method, path }) => `${method} ${path}`), ...pages].toSorted()).toEqual(routed.toSorted())
})

test("no two operations share an id, or a method and path", () => {
  const rows = operationTable(["a", "b", "c", "d", "e", "f"])
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
  expect(new Set(rows.map(({ method, path }) => `${method} ${path}`)).size).toBe(rows.length)
})
