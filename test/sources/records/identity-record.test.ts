import { describe, expect, test } from "bun:test"
import { NAMES_MAX, readIdentityRecord } from "../../../src/sources/records/identity-record.ts"
import type { RecordValue } from "../../../src/sources/records/register-adapter.ts"

const record = {
  legal_names: ["Harbor Light Instruments LLC"],
  other_names: ["Harbor Light"],
  status: "ACTIVE",
  is_current: true,
  expires: "2027-12-31",
  country: "US",
}

test("a record is read as it was stored, with only its own members", () => {
  expect(readIdentityRecord({ ...record, further: 1 })).toEqual(record)
  const silent = { ...record, status: null, is_current: null, expires: null, country: null }
  expect(readIdentityRecord(silent)).toEqual(silent)
})

describe("a value stored by another release or another register is refused", () => {
  const names = Array.from({ length: NAMES_MAX + 1 }, (_, at) => `Name ${at}`)
  for (const [what, value] of [
    ["a null", null],
    ["a text", "Harbor Light"],
    ["a list", [record]],
    ["without a legal name", { ...record, legal_names: [] }],
    ["with a name that is not a text", { ...record, legal_names: [1] }],
    ["with more names than the limit", { ...record, legal_names: names }],
    ["with more other names than the limit", { ...record, other_names: names }],
    ["with a status that is not a text", { ...record, status: 1 }],
    ["with a state that is not true or false", { ...record, is_current: "yes" }],
    ["with a day that is not a text", { ...record, expires: 20271231 }],
    ["without a member", { legal_names: ["A"], other_names: [] }],
  ] as const) {
    test(what, () => expect(readIdentityRecord(value as RecordValue)).toBeNull())
  }
})
