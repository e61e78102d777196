/** One mailbox in one form: domain in lower case and as IDNA; no line break, no second address, no name. */
import { expect, test } from "bun:test"
import { normalMailbox } from "../../src/core/mailbox.ts"

test.each([
  ["agent@host.example", "agent@host.example"],
  ["Agent.One+tag@Host.EXAMPLE", "Agent.One+tag@host.example"],
  ["agent@Bücher.example", "agent@xn--bcher-kva.example"],
  ["agent@XN--BCHER-KVA.example", "agent@xn--bcher-kva.example"],
  ["agent@例.example", "agent@xn--fsq.example"],
  [`${"a".repeat(64)}@host.example`, `${"a".repeat(64)}@host.example`],
])("%s is %s", (given, expected) => {
  expect(normalMailbox(given)).toBe(expected)
})

test.each([
  ["", "nothing"],
  ["agent", "no domain"],
  ["@host.example", "no local part"],
  ["agent@", "an empty domain"],
  ["agent@host", "one label"],
  ["agent@host.example.", "a final dot"],
  ["agent@-host.example", "an outer hyphen"],
  ["agent@127.0.0.1", "an address of a machine"],
  ["agent@[127.0.0.1]", "an address in brackets"],
  ["Agent <agent@host.example>", "a name"],
  ["a@host.example,b@host.example", "two addresses"],
  ["a@host.example b@host.example", "two addresses with a space"],
  ["a@b@host.example", "two signs"],
  ['"a b"@host.example', "a quoted local part"],
  ["a..b@host.example", "two dots"],
  ["agent@host.example\r\nBcc: b@host.example", "a line break"],
  ["agent\n@host.example", "a line feed"],
  ["agent@ho\u00adst.example", "an ignorable character"],
  ["agent@ho%73t.example", "an escape"],
  ["agent@host.example/path", "a path"],
  ["ägent@host.example", "a local part outside ASCII"],
  [`${"a".repeat(65)}@host.example`, "a long local part"],
  [`agent@${"a".repeat(64)}.example`, "a long label"],
  [`agent@${"a.".repeat(124)}example`, "more than 254 characters"],
])("%j is refused: %s", (given) => {
  expect(normalMailbox(given)).toBeNull()
})
