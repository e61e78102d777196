/** A letter with a dot is an initial in a person's name, not part of an acronym. Invoices name people in the form `Aksyonov S.V.`. */
import { describe, expect, test } from "bun:test"
import { screen } from "../../../src/sources/screening/screen.ts"
import { indexOf, party, query } from "./sample-parties.ts"

const person = (name: string) => party({ name, type: "person", entryId: "listed" })
const found = (listed: string, requests: string, type: "person" | "org" | null = "person", threshold = 0.8) =>
  screen(indexOf(person(listed)), query(requests, { type, threshold })).hits.map(({ entryId }) => entryId)

describe("a surname with the initials of the other names finds the person", () => {
  test.each([
    "Aksyonov S.V.",
    "Aksyonov S. V.",
    "Aksyonov S.V",
    "Aksyonov S V",
    "AKSYONOV, S.V.",
    "S.V. Aksyonov",
    "S. V. Aksyonov",
    "Mr. S.V. Aksyonov",
    "Aksyonov Sergey V.",
    "Aksyonov S. Valeryevich",
  ])("%s", (requests) => {
    for (const type of ["person", null] as const)
      for (const threshold of [0.75, 0.8, 0.85])
        expect([type, threshold, found("AKSYONOV, Sergey Valeryevich", requests, type, threshold)]).toEqual([
          type,
          threshold,
          ["listed"],
        ])
  })

  test("in Cyrillic too, with another spelling of the surname", () => {
    expect(found("AKSYONOV, Sergey Valeryevich", "Аксёнов С.В.")).toEqual(["listed"])
  })

  test("even if the initials could be a title", () => {
    expect(found("AKSYONOV, John Robert", "Aksyonov J.R.")).toEqual(["listed"])
    expect(found("AKSYONOV, Usman Karim", "Aksyonov U.K.")).toEqual(["listed"])
  })

  test("also if the list has the initials", () => {
    expect(found("AKSYONOV, S.V.", "Sergey Valeryevich Aksyonov")).toEqual(["listed"])
    expect(found("AKSYONOV, S.V.", "Aksyonov S.V.", null)).toEqual(["listed"])
  })
})

describe("a firm's name of a surname and dotted letters also finds a person, because a paid check queries only firms", () => {
  test.each([
    "Aksyonov S.V.",
    "Aksyonov S. V.",
    "S.V. Aksyonov",
    "AKSYONOV, S.V.",
    "Mr. Aksyonov S.V.",
    "Aksyonov S V",
  ])("%s", (requests) => {
    for (const threshold of [0.75, 0.8, 0.85])
      expect([threshold, found("AKSYONOV, Sergey Valeryevich", requests, "org", threshold)]).toEqual([
        threshold,
        ["listed"],
      ])
  })

  test("with a CONFLICT of type, so it never blocks", () => {
    const listed = { ...person("AKSYONOV, Sergey Valeryevich"), countries: ["RU"] }
    const { hits } = screen(indexOf(listed), query("Aksyonov S.V.", { countries: ["RU"] }))
    expect(hits).toMatchObject([{ tier: "HOLD", corroboration: { type: "CONFLICT", country: "MATCH" } }])
  })
})

describe("four or more single letters in a row are read as initials and as a spelled-out word", () => {
  test.each([
    "G.O.N.Z.A.L.V.I.K.",
    "G. O. N. Z. A. L. V. I. K.",
    "G O N Z A L V I K",
    "G-O-N-Z-A-L-V-I-K",
    "GONZALVIK",
  ])("Sonia Castro %s", (surname) => {
    for (const type of ["person", null] as const)
      expect([type, found("GONZALVIK, Sonia Castro", `Sonia Castro ${surname}`, type)]).toEqual([type, ["listed"]])
  })

  test("four initials find the person", () => {
    expect(found("AKSYONOV, Sergey Valeryevich Petr Karl", "Aksyonov S.V.P.K.")).toEqual(["listed"])
  })
})

describe("a person is not found by", () => {
  test.each([
    ["another initial", "Aksyonov S.P."],
    ["the initials of two other names", "Aksyonov P.K."],
    ["one initial of two names", "Aksyonov S."],
    ["the same initials of another surname", "Brandwick S.V."],
  ])("%s", (_, requests) => expect(found("AKSYONOV, Sergey Valeryevich", requests)).toEqual([]))
})

test("degrees stay titles, and a firm's dotted letters stay one word", () => {
  expect(found("OBUKHOV, Sergey Pavlovich", "OBUKHOFF, SERGE M.D.", "org")).toEqual([])
  expect(found("KARVOLAN, Marek", "Marek Karvolan, M.D., Ph.D.")).toEqual(["listed"])
  const firm = indexOf(party({ name: "S.V. Karvolan Trading", entryId: "firm" }))
  for (const requests of ["SV Karvolan Trading", "S.V. Karvolan Trading", "S V Karvolan Trading"])
    expect(screen(firm, query(requests)).hits.map(({ entryId }) => entryId)).toEqual(["firm"])
})
