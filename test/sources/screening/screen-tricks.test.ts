/** Ways to write a listed name that a reader still recognises. None may be CLEAR (ruling 52). */
import { describe, expect, test } from "bun:test"
import type { Party } from "../../../src/sources/records/party.ts"
import { screen } from "../../../src/sources/screening/screen.ts"
import { TRICKS } from "./name-tricks.ts"
import { indexOf, party, query } from "./sample-parties.ts"

const index = indexOf(party({ name: "Karvolan Maritime Trading LLC" }))
const FULL_WIDTH = [..."Karvolan Maritime Trading"].map((c) =>
  c === " " ? c : String.fromCharCode(c.charCodeAt(0) + 0xfee0),
)

/** Tricks that do not prevent the match. */
const SEEN_THROUGH: readonly (readonly [string, string])[] = [
  ["zero-width joiner in a word", "Kar\u200dvolan Mari\u200dtime Trading LLC"],
  ["zero-width space for a space", "Karvolan\u200bMaritime\u200bTrading LLC"],
  ["zero-width space beside punctuation", "Karvolan,\u200bMaritime.\u200bTrading"],
  ["Cyrillic look-alikes", "Каrvоlаn Маritimе Тrаding LLC"],
  ["full-width letters", FULL_WIDTH.join("")],
  ["combining marks", [..."Karvolan Maritime Trading"].map((c) => (c === " " ? c : `${c}\u0336`)).join("")],
  ["capital i for a small L", "KarvoIan Maritime Trading"],
  ["small capitals", "ᴋᴀʀᴠᴏʟᴀɴ Mᴀʀɪᴛɪᴍᴇ Tʀᴀᴅɪɴɢ"],
  ["dba", "Pellworth Foods dba Karvolan Maritime Trading"],
  ["d/b/a", "Pellworth Foods d/b/a Karvolan Maritime Trading"],
  ["c/o", "Pellworth Foods c/o Karvolan Maritime Trading LLC"],
  ["slash", "Pellworth Foods / Karvolan Maritime Trading"],
  ["parentheses", "Pellworth Foods (Karvolan Maritime Trading LLC)"],
  ["an insertion in parentheses", "Karvolan (Pellworth Foods Delivered Fresh) Maritime Trading"],
  ["semicolon", "Pellworth Foods; Karvolan Maritime Trading LLC"],
  ["letters spaced out", "K a r v o l a n Maritime Trading"],
  ["digits for letters", "K4rv0lan Mar1time Trading"],
  ["right-to-left override around nothing", "\u202eKarvolan Maritime Trading LLC"],
]

describe("a listed name is found with the trick", () => {
  test.each(SEEN_THROUGH)("%s", (_, name) => {
    const result = screen(index, query(name))
    expect(["MATCH", "POSSIBLE_MATCH"]).toContain(result.state)
    expect(result.hits[0]?.entryId).toBe("1")
  })
})

/** Tricks that make the name uncertain. The result reports that. */
const NOT_READ: readonly (readonly [string, string])[] = [
  ["mixed script in one word", "Pellworth Fооds"],
  ["over-long name", `${"Pellworth Foods and Deliveries ".repeat(12)}Karvolan Maritime Trading`],
  ["too many words", `${"pell worth food fresh ".repeat(4)}Karvolan Maritime Trading`],
  ["right-to-left override", `\u202e${[..."Karvolan Maritime Trading"].reverse().join("")}\u202c`],
  ["one endless word", "PellworthFoodsPellworthFoodsPellworthFoodsPellworth"],
  ["letters of an unread script", "Pellworth 貿易"],
  ["private-use letters", "Pellworth \ue001\ue002"],
  ["too many parts", Array.from({ length: 14 }, (_, at) => `Pell${"abcdefghijklmn"[at]}`).join("/")],
]

describe("a name with the trick is never CLEAR", () => {
  test.each(NOT_READ)("%s", (_, name) => {
    const result = screen(index, query(name))
    expect(result.state).not.toBe("CLEAR")
    expect(result.nameProblems.length).toBeGreaterThan(0)
  })
})

test("the harmless firm of these rows is CLEAR without the trick", () => {
  expect(screen(index, query("Pellworth Foods")).state).toBe("CLEAR")
})

test("a word of only Cyrillic look-alikes is matched by sound and by shape", () => {
  const both = indexOf(party({ name: "Compact Karvolan" }), party({ name: "Somrast Karvolan", entryId: "2" }))
  const found = screen(both, query("СОМРАСТ Karvolan")).hits.map((hit) => hit.entryId)
  expect(found.sort()).toEqual(["1", "2"])
})

/** An organisation on each type of list, with names of one word and of several. */
const LISTED: readonly (Partial<Party> & { readonly name: string })[] = [
  { sourceId: "US_OFAC_SDN", list: "SDN", measure: "block", name: "Promzernobank" },
  { sourceId: "US_OFAC_SDN", list: "SDN", measure: "block", name: "Karvolan Maritime Trading LLC" },
  { sourceId: "US_OFAC_CONSOLIDATED", list: "SSI", measure: "condition", name: "Vostokneft Burenie PJSC" },
  { sourceId: "US_TRADE_CSL", list: "EL", measure: "hold", type: "unknown", name: "Lihua Precision Optics Institute" },
  { sourceId: "US_SAM_EXCLUSIONS", list: "SAM", measure: "condition", name: "Stellwick Roofing & Sons, Inc." },
  { sourceId: "UK_SANCTIONS_LIST", list: "UK", measure: "block", name: "Bank Ostankino Invest" },
]

describe.each(LISTED.map((listed) => [`${listed.sourceId} ${listed.list} ${listed.name}`, listed] as const))(
  "%s is not CLEAR with the trick",
  (_, listed) => {
    const index = indexOf(party({ ...listed, entryId: "listed" }))

    // A comma divides two firms only if the second part looks like a name, and never a person from the surname.
    test.each(Object.keys(TRICKS).filter((label) => label !== "comma"))("%s", (label) => {
      const name = TRICKS[label]!(listed.name)
      for (const type of ["org", null] as const) {
        const { state, hits, nameProblems } = screen(index, query(name, { type }))
        expect(state).not.toBe("CLEAR")
        expect(hits.some(({ entryId }) => entryId === "listed") || nameProblems.length > 0).toBe(true)
      }
    })
  },
)

test("a name with many tricks needs bounded work and is never CLEAR", () => {
  const pile = Array.from({ length: 40 }, (_, at) => `M4r1t1me\u200b (c/o "Tr@ding ${at}")`).join(" / ")
  const { state, nameProblems } = screen(index, query(pile))
  expect(state).not.toBe("CLEAR")
  expect(nameProblems).toContain("TOO_MANY_PARTS")
})
