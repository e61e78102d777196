import { expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { ScreeningFact } from "../../../schemas/screening-facts.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { screen, TOLERANCE_THRESHOLD } from "../../../src/sources/screening/screen.ts"
import { screeningFact } from "../../../src/sources/screening/screening-fact.ts"
import { indexOf, party, query } from "./sample-parties.ts"

const index = indexOf(party({ name: "Karvolan Maritime Trading LLC" }))

test.each(["Karvolan Maritime Trading LLC", "Karvolan Maritme Holding", "Something Else Entirely", ""])(
  "the result for %j becomes a fact of the schema, complete and as plain JSON",
  (name) => {
    const result = screen(index, query(name))
    const fact = screeningFact(result, TOLERANCE_THRESHOLD.MEDIUM)
    expect([...Value.Errors(ScreeningFact, fact)]).toEqual([])
    expect(canonicalize(JSON.parse(JSON.stringify(fact)))).toBe(canonicalize(fact))
    expect([fact.state, fact.hits.length, fact.best_score]).toEqual([
      result.state,
      result.hits.length,
      result.bestScore,
    ])
  },
)

test("an exact name is stored with the words that gave its score", () => {
  const [hit] = screeningFact(screen(index, query("Karvolan Maritime Trading LLC")), 0.8).hits
  expect(hit?.explanation.pairs.map((pair) => pair.query)).toContain("karvolan")
})
