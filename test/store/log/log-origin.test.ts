import { expect, test } from "bun:test"
import {
  changeLogOrigin,
  earlierOrigins,
  fixedLogOrigin,
  hostOfOrigin,
  logOrigin,
} from "../../../src/store/log/log-origin.ts"
import { appendKeyEvent } from "../../../src/store/log/transparency-log.ts"
import { newStore } from "../../fixtures/new-store.ts"

const AT = "2026-11-22T10:00:00.000Z"

test("the log is named after its first host and keeps that name for any later host", async () => {
  await using bench = await newStore()
  expect(await bench.store.read(logOrigin)).toBeNull()
  expect(await bench.store.run(() => fixedLogOrigin("svc.example"))).toBe("svc.example/agent-id/log/1")
  expect(await bench.store.run(() => fixedLogOrigin("other.example:8443"))).toBe("svc.example/agent-id/log/1")
  expect(await bench.store.read(logOrigin)).toBe("svc.example/agent-id/log/1")
})

test("a change of name increases the number and keeps every earlier name with its tree and its reason", async () => {
  await using bench = await newStore()
  await bench.store.run(() => fixedLogOrigin("svc.example:8443"))
  await bench.store.run(() => appendKeyEvent("svc:agent:one", `sha256:${"01".repeat(32)}`))
  const first = await bench.store.run(() => changeLogOrigin("new.example", { why: "moved", at: AT }))
  const second = await bench.store.run(() => changeLogOrigin("new.example", { why: "restored", at: AT }))
  expect([first?.origin, second?.origin]).toEqual(["new.example/agent-id/log/2", "new.example/agent-id/log/3"])
  expect(await bench.store.read(logOrigin)).toBe("new.example/agent-id/log/3")
  expect(await bench.store.run(() => fixedLogOrigin("svc.example"))).toBe("new.example/agent-id/log/3")
  expect(await bench.store.read(earlierOrigins)).toMatchObject([
    { origin: "svc.example:8443/agent-id/log/1", tree_size: 1, why: "moved", replaced_at: AT },
    { origin: "new.example/agent-id/log/2", tree_size: 1, why: "restored", replaced_at: AT },
  ])
})

test("a log without a name cannot change its name", async () => {
  await using bench = await newStore()
  expect(await bench.store.run(() => changeLogOrigin("new.example", { why: "moved", at: AT }))).toBeNull()
  expect(await bench.store.read(earlierOrigins)).toEqual([])
})

test("the host of a name includes its port", () => {
  expect(hostOfOrigin("svc.example:8443/agent-id/log/12")).toBe("svc.example:8443")
})
