/** The opt-out of e-mail: recorded durably, repeatable, and silent about who opted out before. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readJson } from "../../src/core/strict-json.ts"
import { createDataDirectory } from "../../src/data/data-directory.ts"
import { routes } from "../../src/server/app.ts"
import { findContactStop } from "../../src/store/contact/contact-stops.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { BASE_URL, testServiceOn } from "../fixtures/service.ts"
import { CHANNEL_PATH, type ContactService, contactService, DECISION_PATHS } from "./contact-service.ts"

let service: ContactService
beforeAll(async () => {
  service = await contactService()
})
afterAll(() => service[Symbol.asyncDispose]())

describe("Opt out with {action: STOP, reply_to}", () => {
  const stop = (reply_to: string, path: string = CHANNEL_PATH) => service.post(path, { action: "STOP", reply_to })
  const stoppedAt = (mailbox: string) => service.service.store.read(() => findContactStop(mailbox))

  test.each(DECISION_PATHS)(
    "%s records the mailbox, and says the same to a known and to an unknown one",
    async (path) => {
      const mailbox = `agent-${path.length}@host.example`
      const [first, second] = [await stop(mailbox, path), await stop(mailbox.replace("host", "HOST"), path)]
      const texts = [await first.text(), await second.text()]
      expect([first.status, second.status, new Set(texts).size]).toEqual([200, 200, 1])
      expect(readJson(Buffer.from(texts[0] ?? ""))).toMatchObject({ status: "STOPPED", next_machine_action: "NONE" })
      expect(texts[0]).not.toContain("host.example")
      expect(await stoppedAt(mailbox)).toBe("2026-11-23T00:00:00.000Z")
    },
  )

  test("a repeated opt-out keeps the first time", async () => {
    await stop("first@host.example")
    service.clock.set(Date.UTC(2026, 10, 24))
    expect((await stop("first@host.example")).status).toBe(200)
    expect(await stoppedAt("first@host.example")).toBe("2026-11-23T00:00:00.000Z")
    service.clock.set(Date.UTC(2026, 10, 23))
  })

  test("a hundred at once record one row", async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => stop("many@host.example")))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await stoppedAt("many@host.example")).not.toBeNull()
  })

  test("it survives a restart", async () => {
    using fresh = freshDirectory()
    const directory = `${fresh.path}/data`
    await createDataDirectory(directory, "test", service.clock)
    const first = await testServiceOn(directory, service.clock)
    const body = JSON.stringify({ action: "STOP", reply_to: "kept@host.example" })
    const headers = { "content-type": "application/json" }
    await routes(first.service).handle(new Request(BASE_URL + CHANNEL_PATH, { method: "POST", headers, body }))
    await first.service.close()
    const second = await testServiceOn(directory, service.clock)
    const kept = await second.service.store.read(() => findContactStop("kept@host.example"))
    await second.service.close()
    expect(kept).toBe("2026-11-23T00:00:00.000Z")
  })

  test("the mailbox is not logged", () => {
    expect(JSON.stringify(service.logged)).not.toContain("host.example")
  })
})
