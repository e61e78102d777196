import { expect, test } from "bun:test"
import { packedPartyAt, packParties } from "../../../src/sources/screening/party-list.ts"
import { party } from "./sample-parties.ts"

const named = (name: string) => party({ name })

test("the parties of several lists are numbered one list after the other", () => {
  const lists = [[named("Karvolan"), named("Pellworth")], [], [named("Банк \ud800 Карволан")]]
  const partyAt = packedPartyAt(lists.map(packParties))
  expect([0, 1, 2].map(partyAt)).toEqual(lists.flat())
  expect(() => partyAt(3)).toThrow(RangeError)
})

test("parties are read correctly even if there are more than the decoded ones in memory", () => {
  const many = Array.from({ length: 5000 }, (_, at) => named(`Karvolan ${at}`))
  const partyAt = packedPartyAt([packParties(many)])
  for (const at of [0, 4999, 0, 2500]) expect(partyAt(at)).toEqual(many[at]!)
  expect(many.map((_, at) => partyAt(at))).toEqual(many)
})
