/** No value can begin a header field of its own, and every message can be read back. */
import { expect, test } from "bun:test"
import PostalMime from "postal-mime"
import { composeMessage } from "../../../src/contact/mail/compose.ts"

const message = {
  id: "eml_0",
  from: "desk@provider.example",
  to: "agent@host.example",
  type: "svc.acp.contact.v1",
  isReply: false,
  at: Date.UTC(2026, 10, 3, 4, 5, 6),
}

test.each([
  { to: "a@host.example\r\nBcc: b@host.example" },
  { to: "a@host.example\nBcc: b@host.example" },
  { to: "" },
  { from: "a@b.example\rX: y" },
  { type: "subject\r\n\r\nbody" },
  { type: "süß" },
  { to: `${"a".repeat(900)}@host.example` },
])("%j is not sent", (changed) => {
  expect(() => composeMessage({ ...message, ...changed, body: {} })).toThrow(TypeError)
})

test.each([
  ["short lines", { text: "a", list: [1, 2] }, "7bit"],
  ["a line over the limit", { text: "x".repeat(5_000) }, "base64"],
  ["other scripts, a line break and a zero", { text: "süß 漢 😀\r\n.\r\nFrom: x\0" }, "7bit"],
])("%s: the reader gets the same JSON", async (_name, body, encoding) => {
  const raw = composeMessage({ ...message, body })
  expect(raw).toMatch(/^[\x20-\x7e\r\n]*$/)
  expect(Math.max(...raw.split("\r\n").map(({ length }) => length))).toBeLessThan(998)
  const read = await PostalMime.parse(raw)
  expect(JSON.parse(read.text ?? "")).toEqual(body)
  expect(raw).toContain(`Content-Transfer-Encoding: ${encoding}\r\n`)
  expect([read.subject, read.messageId, read.date]).toEqual([
    message.type,
    "<eml_0@provider.example>",
    "2026-11-03T04:05:06.000Z",
  ])
})

test("the link to opt out sends the opt-out of the mailbox that got the message", () => {
  const to = "o'agent+x%&=?/{}@host.example"
  const raw = composeMessage({ ...message, to, body: {} })
  const [, link = ""] = /^List-Unsubscribe: <([^>]*)>\r$/m.exec(raw) ?? []
  const url = new URL(link)
  expect([url.protocol, url.pathname]).toEqual(["mailto:", message.from])
  expect(JSON.parse(url.searchParams.get("body") ?? "")).toEqual({ action: "STOP", reply_to: to })
})
