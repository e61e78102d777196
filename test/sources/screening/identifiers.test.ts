import { describe, expect, test } from "bun:test"
import { type IdentifierIndex, identifiersConflict } from "../../../src/sources/screening/identifiers.ts"
import { NameIndex } from "../../../src/sources/screening/name-index.ts"
import { party } from "./sample-parties.ts"

const listed = (scheme: string, value: string, country?: string) =>
  new NameIndex({
    snapshotIds: {},
    parties: [party({ identifiers: [country === undefined ? { scheme, value } : { scheme, value, country }] })],
  }).identifiers
const finds = (index: IdentifierIndex, scheme: string, value: string) => index.find({ scheme, value }).length === 1

describe("an identifier is matched by its letters and digits, not its punctuation", () => {
  test.each([
    ["lei", "5493 00ABCD EF12345678", "549300ABCDEF12345678"],
    ["cik", "0000012345", "12345"],
    ["imo", "IMO 9187629", "9187629"],
    ["tax", "12-3456789", "123456789"],
  ])("%s %s", (scheme, printed, requests) => {
    expect(finds(listed(scheme, printed), scheme, requests)).toBe(true)
  })

  test("the same value under another scheme does not match", () => {
    expect(finds(listed("npi", "1234567890"), "tax", "1234567890")).toBe(false)
  })
})

test("an EIN matches a United States tax number only", () => {
  expect(finds(listed("tax", "123456789"), "ein", "12-3456789")).toBe(true)
  expect(finds(listed("tax", "123456789", "US"), "ein", "12-3456789")).toBe(true)
  expect(finds(listed("tax", "123456789", "IR"), "ein", "12-3456789")).toBe(false)
})

test("a register number too short to identify one party is not an identifier", () => {
  expect(finds(listed("registration", "12345"), "registration", "12345")).toBe(false)
  expect(finds(listed("cage", "1ABC2"), "cage", "1abc2")).toBe(true)
})

test("empty values match nothing", () => {
  expect(finds(listed("lei", " - "), "lei", "")).toBe(false)
  expect(finds(listed("cik", "0000000000"), "cik", "0")).toBe(false)
})

describe("wallets", () => {
  const address = `0x${"aB".repeat(20)}`

  test("an EVM address is one account in any letter case", () => {
    expect(listed("wallet", address).findWallet(address.toUpperCase().replace("0X", "0x"))).toHaveLength(1)
    expect(listed("wallet", address).findWallet(`0x${"ab".repeat(19)}ac`)).toHaveLength(0)
  })

  test("addresses of other chains are compared letter for letter", () => {
    expect(
      finds(listed("wallet", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT"), "wallet", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT"),
    ).toBe(true)
    expect(
      finds(listed("wallet", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT"), "wallet", "1boatslrhtknngkdxeeobr76b53lettpyt"),
    ).toBe(false)
  })

  test("a text that is not an EVM address throws and never gives a clean result", () => {
    expect(() => listed("wallet", address).findWallet("not-an-address")).toThrow(TypeError)
  })
})

test("different single-valued identifiers conflict; multi-valued and missing ones do not", () => {
  const uei = [{ scheme: "uei", value: "ABCDEFGHJKL1" }]
  expect(identifiersConflict([{ scheme: "uei", value: "ABCDEFGHJKL2" }], uei)).toBe(true)
  expect(identifiersConflict([{ scheme: "uei", value: "abcdefghjkl1" }], uei)).toBe(false)
  expect(identifiersConflict([{ scheme: "lei", value: "549300ABCDEF12345678" }], uei)).toBe(false)
  expect(identifiersConflict([{ scheme: "cage", value: "1ABC2" }], [{ scheme: "cage", value: "1ABC3" }])).toBe(false)
})
