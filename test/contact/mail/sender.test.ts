/** Whom a message is from: authenticated by the operator's mail server alone, and no machine that answers machines. */
import { describe, expect, test } from "bun:test"
import { readAuthenticationResults } from "../../../src/contact/mail/authentication-results.ts"
import { readHeaderBlock } from "../../../src/contact/mail/header-block.ts"
import { judgeSender } from "../../../src/contact/mail/sender.ts"
import { AUTHSERV, PROVIDER, passFor, written } from "./send-in.ts"

const settings = { mailbox: PROVIDER, authservIds: [AUTHSERV, "mx2.provider.example"] }
const AGENT = "agent@host.example"
const PASS = passFor(AGENT)

function judged(mail: Partial<Parameters<typeof written>[0]>): string {
  const fields = readHeaderBlock(Buffer.from(written({ from: AGENT, body: {}, ...mail })))
  if (typeof fields === "string") return fields
  const sender = judgeSender(fields, settings)
  return "mailbox" in sender ? sender.mailbox : sender.dropped
}

describe("authentication", () => {
  const results = (value: string) => [`Authentication-Results: ${value}`]
  test.each([
    ["a pass", [PASS], AGENT],
    ["a second authserv-id", results("MX2.provider.example; dmarc=pass header.from=host.example"), AGENT],
    [
      "version, comments, other methods, quotes",
      results(
        `${AUTHSERV} 1 (c (d)); spf=pass smtp.mailfrom=x@y.example;\r\n dkim=pass header.b="a/b=="; dmarc=pass (p=none; "q) header.from="HOST.example"`,
      ),
      AGENT,
    ],
    ["a final semicolon", results(`${AUTHSERV}; dmarc=pass header.from=host.example;`), AGENT],
    ["no result", [], "NO_AUTHENTICATION_RESULTS"],
    [
      "a foreign result alone",
      results("mx.attacker.example; dmarc=pass header.from=host.example"),
      "NO_AUTHENTICATION_RESULTS",
    ],
    [
      "a result that cannot be read above a genuine one",
      [...results(`"${AUTHSERV}; dmarc=pass`), PASS],
      "NO_AUTHENTICATION_RESULTS",
    ],
    ["a fail", results(`${AUTHSERV}; dmarc=fail header.from=host.example`), "DMARC_NOT_PASSED"],
    ["none", results(`${AUTHSERV}; none`), "DMARC_NOT_PASSED"],
    [
      "only SPF and DKIM",
      results(`${AUTHSERV}; spf=pass smtp.mailfrom=host.example; dkim=pass header.d=host.example`),
      "DMARC_NOT_PASSED",
    ],
    [
      "a pass in a comment",
      results(`${AUTHSERV}; spf=fail (; dmarc=pass header.from=host.example)`),
      "DMARC_NOT_PASSED",
    ],
    [
      "a pass in a quoted reason",
      results(`${AUTHSERV}; spf=fail reason="; dmarc=pass header.from=host.example"`),
      "DMARC_NOT_PASSED",
    ],
    [
      "pass and fail",
      results(`${AUTHSERV}; dmarc=pass header.from=host.example; dmarc=fail header.from=host.example`),
      "DMARC_NOT_PASSED",
    ],
    [
      "two domains",
      results(`${AUTHSERV}; dmarc=pass header.from=host.example header.from=other.example`),
      "NO_AUTHENTICATION_RESULTS",
    ],
    ["a pass of another domain", [passFor("x@other.example")], "DMARC_OTHER_DOMAIN"],
    ["a pass of a parent domain", [passFor("x@example")], "DMARC_OTHER_DOMAIN"],
    ["a pass without its domain", results(`${AUTHSERV}; dmarc=pass`), "DMARC_OTHER_DOMAIN"],
    [
      "a forged pass below a genuine fail",
      [...results(`${AUTHSERV}; dmarc=fail header.from=host.example`), PASS],
      "DMARC_NOT_PASSED",
    ],
    ["a forged pass below a genuine pass of another domain", [passFor("x@other.example"), PASS], "DMARC_OTHER_DOMAIN"],
  ])("%s", (_name, above, expected) => {
    expect(judged({ above })).toBe(expected)
  })

  test("a forged pass among the message's own fields, below a genuine fail", () => {
    const above = [`Authentication-Results: ${AUTHSERV}; dmarc=fail header.from=host.example`]
    expect(judged({ above, below: [PASS] })).toBe("DMARC_NOT_PASSED")
  })

  test("a value with an open comment or quoted string is not read", () => {
    for (const value of [
      "a; dmarc=pass (",
      'a; dmarc="pass',
      "",
      ";",
      "a b; dmarc=pass",
      "a; =pass",
      "a; dmarc pass",
    ]) {
      expect(readAuthenticationResults(value)).toBeNull()
    }
  })
})

describe("From", () => {
  test.each([
    [AGENT, AGENT],
    [`Agent <${AGENT}>`, AGENT],
    [`"Agent" <${AGENT}>`, AGENT],
    [`=?utf-8?q?Ag=C3=A9nt?= <${AGENT}>`, AGENT],
    ["agent@HOST.example", AGENT],
    [`${AGENT}, b@host.example`, "FROM_NOT_ONE_MAILBOX"],
    [`Team: ${AGENT};`, "FROM_NOT_ONE_MAILBOX"],
    [`"a@good.example" (c) <${AGENT}>`, "FROM_NOT_ONE_MAILBOX"],
    [`a@good.example <${AGENT}>`, "FROM_NOT_ONE_MAILBOX"],
    [`<a@good.example> <${AGENT}>`, "FROM_NOT_ONE_MAILBOX"],
    [`<${AGENT}> (comment)`, "FROM_NOT_ONE_MAILBOX"],
    ['"agent"@host.example', "FROM_NOT_ONE_MAILBOX"],
    [`glpat-${"x7".repeat(12)}@host.example`, "FROM_HOLDS_SECRET"],
    [`<agent@glpat-${"x7".repeat(12)}.example>`, "FROM_HOLDS_SECRET"],
    ["", "FROM_NOT_ONE_MAILBOX"],
    ["<>", "FROM_NOT_ONE_MAILBOX"],
    [`Agent\r\n <${AGENT}>`, AGENT],
  ])("%j", (fromField, expected) => {
    expect(judged({ fromField })).toBe(expected)
  })

  test("two fields, or none", () => {
    expect(judged({ below: [`From: ${AGENT}`] })).toBe("FROM_NOT_ONE_MAILBOX")
    const none = readHeaderBlock(Buffer.from(`${PASS}\r\nTo: ${PROVIDER}\r\n\r\n{}`))
    if (typeof none === "string") throw new Error(none)
    expect(judgeSender(none, settings)).toEqual({ dropped: "FROM_NOT_ONE_MAILBOX" })
  })
})

describe("machines that answer machines", () => {
  test.each([
    ["List-Id: <agents.host.example>", "MAILING_LIST"],
    ["Precedence: bulk", "MAILING_LIST"],
    ["Auto-Submitted: auto-replied", "AUTOMATIC"],
    ["Auto-Submitted: auto-generated; x=no", "AUTOMATIC"],
    ["Auto-Submitted: nope", "AUTOMATIC"],
    ["Auto-Submitted: no", AGENT],
    ["AUTO-SUBMITTED: No (by hand)", AGENT],
    ["List-Unsubscribe: <mailto:x@host.example>", AGENT],
  ])("%s", (field, expected) => {
    expect(judged({ below: [field] })).toBe(expected)
  })

  test("the own mailbox, in any case", () => {
    for (const from of [PROVIDER, "DESK@Provider.Example"]) {
      expect(judged({ from, above: [passFor(from)] })).toBe("OWN_MAILBOX")
    }
  })
})

describe("the header block", () => {
  test.each([
    ["a bare line feed", "From: a@b.example\nX: y\r\n\r\n", "BARE_LINE_BREAK"],
    ["a bare carriage return", "From: a@b.example\rFrom: c@d.example\r\n\r\n", "BARE_LINE_BREAK"],
    ["a zero", "From: a@b.example\0\r\n\r\n", "BARE_LINE_BREAK"],
    ["a line without a name", "From: a@b.example\r\nno colon\r\n\r\n", "HEADER_MALFORMED"],
    ["a name with a space", "From x: a@b.example\r\n\r\n", "HEADER_MALFORMED"],
    ["a first line that is folded", " From: a@b.example\r\n\r\n", "HEADER_MALFORMED"],
    ["no end", "From: a@b.example\r\n", "NO_HEADER_END"],
    ["no end in 64 KiB", `X: ${"y".repeat(70_000)}\r\n\r\n`, "HEADER_TOO_LONG"],
  ])("%s is not read", (_name, raw, fault) => {
    expect(readHeaderBlock(Buffer.from(raw))).toBe(fault as never)
  })
})
