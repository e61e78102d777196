/** A hit needs words that say which party it is: for each kind of finding one name with enough evidence and one without. */
import { describe, expect, test } from "bun:test"
import { EVIDENCE, type NEEDED } from "../../../src/sources/screening/evidence.ts"
import { screen, TOLERANCE_THRESHOLD } from "../../../src/sources/screening/screen.ts"
import { indexOf, party, query } from "./sample-parties.ts"

interface Example {
  readonly listed: string
  readonly written: string
}

/** `enough` is a hit, and `little` a near miss. */
const EXAMPLES: Readonly<Record<keyof typeof NEEDED, { readonly enough: Example; readonly little: Example }>> = {
  exchanged: {
    enough: { listed: "Karvolan Bank", written: "Karvolan Banque" },
    little: { listed: "Smart Bank", written: "Smart Banque" },
  },
  leftOut: {
    enough: { listed: "Karvolan Bank", written: "Karvolan" },
    little: { listed: "Smart Bank", written: "Smart" },
  },
  slip: {
    enough: { listed: "Karvolan Maritime", written: "Karvalan Maritime" },
    little: { listed: "Orangi", written: "Orange" },
  },
  slipElsewhere: {
    enough: { listed: "Karvolan Zhuravel Bank", written: "Karvalan Zhuravel Banco" },
    little: { listed: "Orangi Bank", written: "Orange Banco" },
  },
  leftOver: {
    enough: { listed: "Karvolan Zhuravel Delvik", written: "Karvolan Zhuravel" },
    little: { listed: "Smart Energy Delvik", written: "Smart Energy" },
  },
  part: {
    enough: { listed: "Karvolan", written: "Pellworth Foods (Karvolan)" },
    little: { listed: "Smart", written: "Pellworth Foods (Smart)" },
  },
  placed: {
    enough: { listed: "SPP", written: "SPP (Slovakia) Limited" },
    little: { listed: "Smart", written: "Smart (Slovakia) Limited" },
  },
  partLeftOver: {
    enough: { listed: "Karvolan Zhuravel Delvik", written: "Pellworth Foods (Karvolan Zhuravel)" },
    little: { listed: "Karvolan Delvik", written: "Pellworth Foods (Karvolan)" },
  },
  contained: {
    enough: { listed: "Karvolan Delvik", written: "Pellworth Karvolan Delvik Foods" },
    little: { listed: "Quantum", written: "Pellworth Quantum Foods" },
  },
  stated: {
    enough: { listed: "Quantum S.A.", written: "Pellworth Supplies for Quantum S.A." },
    little: { listed: "GP, LLC", written: "Pellworth Value GP, LLC" },
  },
}

describe("evidence", () => {
  test("below what is needed makes a score that no tolerance calls a hit", () => {
    for (const threshold of Object.values(TOLERANCE_THRESHOLD)) expect(EVIDENCE.most).toBeLessThan(threshold)
  })

  const scoreOf = ({ listed, written }: Example) =>
    screen(indexOf(party({ name: listed })), query(written, { threshold: 0.65 })).hits.find(
      ({ entryId }) => entryId === "1",
    )

  test.each(Object.entries(EXAMPLES))("%s: enough", (_, { enough }) => {
    const hit = scoreOf(enough)
    expect(hit?.score).toBeGreaterThanOrEqual(TOLERANCE_THRESHOLD.MEDIUM)
    expect(hit?.explanation.multipliers.map(({ rule }) => rule)).not.toContain("LITTLE_EVIDENCE")
  })

  test.each(Object.entries(EXAMPLES))("%s: too little, and the explanation says so", (_, { little }) => {
    const hit = scoreOf(little)
    expect(hit === undefined || hit.score < TOLERANCE_THRESHOLD.LOW).toBe(true)
  })

  test("too little evidence stays visible as a near miss with its rule", () => {
    const { nearMisses } = screen(indexOf(party({ name: "Smart Bank" })), query("Smart"))
    expect(nearMisses[0]?.explanation.multipliers.map(({ rule }) => rule)).toContain("LITTLE_EVIDENCE")
    expect(nearMisses[0]?.score).toBeCloseTo(EVIDENCE.most, 2)
  })

  test("the same words need none, in any order and under any legal form", () => {
    for (const written of ["Smart Alliance", "Alliance Smart", "SMART ALLIANCE LTD", "Smart-Alliance GmbH"])
      expect(screen(indexOf(party({ name: "Smart Alliance LLC" })), query(written)).hits).toHaveLength(1)
  })

  test("a person whom a person's name names needs none", () => {
    const listed = party({ name: "GREEN, John", type: "person" })
    expect(screen(indexOf(listed), query("John Green", { type: "person" })).hits).toHaveLength(1)
  })
})
