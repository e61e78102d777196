import { expect, test } from "bun:test"
import { recordChannelEntry } from "../../../src/store/identity/channel-entries.ts"
import { moneyStore } from "../money-store.ts"

test("openings are counted by channel and day, and none is lost when many arrive at once", async () => {
  const store = await moneyStore()
  const record = (day: string, channel: string) => store.run(() => recordChannelEntry({ day, channel }))
  await Promise.all(Array.from({ length: 50 }, () => record("2026-11-20", "mcp")))
  await record("2026-11-20", "a2a")
  await record("2026-11-21", "mcp")
  expect(
    await store.rows(
      "SELECT day, channel, sum(entries) AS entries FROM channel_entry GROUP BY day, channel ORDER BY day, channel",
    ),
  ).toEqual([
    { day: "2026-11-20", channel: "a2a", entries: 1 },
    { day: "2026-11-20", channel: "mcp", entries: 50 },
    { day: "2026-11-21", channel: "mcp", entries: 1 },
  ])
  await store.close()
})
