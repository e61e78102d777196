import { describe, expect, test } from "bun:test"
import {
  documentNumbers,
  earlierRegistrationNumbers,
  imoNumbers,
  registrationNumbers,
} from "../../../../src/sources/publishers/uk-sanctions-list/identifiers.ts"
import type { PartyIdentifier } from "../../../../src/sources/records/party.ts"

const written = (identifiers: readonly PartyIdentifier[]) =>
  identifiers.map(({ scheme, value, country }) => [scheme, value, ...(country ? [country] : [])].join(" "))

describe("registration numbers", () => {
  const rows: readonly [text: string, expected: readonly string[]][] = [
    ["INN: 7710137066", ["tax 7710137066"]],
    [
      "OGRN: 1247700291200\nKPP: 770701001\nINN: 9707028663",
      ["registration 1247700291200", "other 770701001", "tax 9707028663"],
    ],
    ["INN 7710137066 OGRN 1027739642281", ["tax 7710137066", "registration 1027739642281"]],
    ["LEI: 213800ABCDEFGHIJKL90", ["lei 213800ABCDEFGHIJKL90"]],
    ["LEI: 2138", ["other LEI: 2138"]],
    ["04123456", ["registration 04123456"]],
    ["HRB 123456 (Germany)", ["registration HRB 123456 DE"]],
    // A country in brackets after a labelled number is kept, of each number its own.
    ["INN: 7710137066 (Russia)", ["tax 7710137066 RU"]],
    ["INN 7710137066(Russia), OGRN: 1027739642281 (Belarus)", ["tax 7710137066 RU", "registration 1027739642281 BY"]],
    ["INN: 7710137066 (previously 7710137067)", ["tax 7710137066"]],
    ["91440300MA5EQXL17P", ["registration 91440300MA5EQXL17P"]],
    ["Company number: 12.345.678", ["registration 12.345.678"]],
    ["Tax number: 12345678; 87654321", ["tax 12345678", "registration 87654321"]],
    ["Telephone: 12345678", ["other Telephone: 12345678"]],
    ["Date of registration: 12/05/2010", ["other Date of registration: 12/05/2010"]],
    ["12 branches in Region 4", ["other 12 branches in Region 4"]],
    ["not known", []],
    ["", []],
    ["INN7710137066OGRN1027739642281", ["tax 7710137066", "registration 1027739642281"]],
    [
      "INN: 7710137066KPP: 770701001OGRN: 1027739642281",
      ["tax 7710137066", "other 770701001", "registration 1027739642281"],
    ],
    ["INN7710137066KPP770701001OGRN1027739642281", ["tax 7710137066", "other 770701001", "registration 1027739642281"]],
    ["INN/KPP 7710137066/770701001", ["tax 7710137066", "other 770701001"]],
    ["INN \u2013 7710137066", ["tax 7710137066"]],
    ["OGRN\u20131027739642281, INN\u20147710137066", ["registration 1027739642281", "tax 7710137066"]],
    ["HRB\u2013123456 (Germany)", ["registration HRB-123456 DE"]],
    ["Taxpayer Identification Number: 7710137066", ["tax 7710137066"]],
    ["Taxpayer Identification Number (INN): 7710137066", ["tax 7710137066"]],
    [
      "Taxpayer identification number 7710137066 and OGRN 1027739642281",
      ["tax 7710137066", "registration 1027739642281"],
    ],
    [
      "Tax ID 7710137066, Primary State Registration Number 1027739642281",
      ["tax 7710137066", "registration 1027739642281"],
    ],
    ["Tax Registration Reason Code: 770701001", ["other 770701001"]],
    ["Unified Social Credit Code \u2013 91440300MA5EQXL17P", ["registration 91440300MA5EQXL17P"]],
    ["Legal Entity Identifier 213800ABCDEFGHIJKL90", ["lei 213800ABCDEFGHIJKL90"]],
    [
      "\u0418\u041d\u041d 7710137066 \u041e\u0413\u0420\u041d 1027739642281",
      ["tax 7710137066", "registration 1027739642281"],
    ],
    ["INN. 7710 137 066", ["tax 7710137066"]],
    ["Company registration number 04123456 (previously 04123455)", ["registration 04123456"]],
    ["04123456, SC123456", ["registration 04123456", "registration SC123456"]],
    ["04123456 and branch 2", ["other 04123456 and branch 2"]],
    ["Licence 5 of 12/05/2010, Telephone 12345678", ["other Licence 5 of 12/05/2010, Telephone 12345678"]],
    ["91440300TIN3EQXL17", ["registration 91440300TIN3EQXL17"]],
  ]
  test.each(rows)("%j", (text, expected) => {
    expect(written(registrationNumbers(text))).toEqual([...expected])
  })
})

describe("documents", () => {
  const rows: readonly [text: string, expected: readonly string[]][] = [
    ["AAID00435", ["passport AAID00435"]],
    ["Kuwait, number 260012001546", ["passport 260012001546 KW"]],
    ["Atlantis, number 12345", ["passport 12345"]],
    ["Number: X123", ["passport X123"]],
    ["A1234567; B7654321", ["passport A1234567", "passport B7654321"]],
    ["expired", []],
  ]
  test.each(rows)("%j", (text, expected) => {
    expect(written(documentNumbers("passport", text))).toEqual([...expected])
  })
})

describe("IMO numbers", () => {
  test("are read with and without their prefix, alone or together", () => {
    expect(written(imoNumbers("IMO9562233", "vessel"))).toEqual(["imo 9562233"])
    expect(written(imoNumbers("8628597", "vessel"))).toEqual(["imo 8628597"])
    expect(written(imoNumbers("IMO 9562233; 8628597", "vessel"))).toEqual(["imo 9562233", "imo 8628597"])
  })

  test("are not read from numbers of another length or from a company number", () => {
    expect(written(imoNumbers("IMO 95622331", "vessel"))).toEqual(["other IMO 95622331"])
    expect(written(imoNumbers("6128597", "org"))).toEqual(["other 6128597"])
    expect(imoNumbers("unknown", "vessel")).toEqual([])
  })
})

test("the earlier parser still reads the same", () => {
  expect(written(earlierRegistrationNumbers("INN7710137066OGRN1027739642281"))).toEqual(["registration 1027739642281"])
  expect(written(earlierRegistrationNumbers("INN \u2013 7710137066"))).toEqual(["other INN \u2013 7710137066"])
  expect(written(earlierRegistrationNumbers("INN: 7710137066"))).toEqual(["tax 7710137066"])
})
