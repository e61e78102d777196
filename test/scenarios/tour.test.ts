/** The tour of `docs/contribute.md`: from the map of README, each hop names the next one, and the last file holds the thing to change. */
import { describe, expect, test } from "bun:test"
import { readme } from "../fixtures/doc-pages.ts"
import { importsOf, sourceText } from "../fixtures/imports.ts"
import { CONTRIBUTE } from "../fixtures/page-changes.ts"

interface Tour {
  readonly hops: readonly string[]
  /** Text in the last file. */
  readonly there: string
}

const HOPS_MAX = 3

const table = /<!-- tour -->\n([\s\S]*?)<!-- \/tour -->/.exec(sourceText(CONTRIBUTE))?.[1] ?? ""
const TOURS = table
  .trim()
  .split("\n")
  .slice(2)
  .map((line): readonly [string, Tour] => {
    const [what = "", ...cells] = line.split("|").slice(1, -1)
    const [there = "", ...hops] = cells.map((cell) => /`([^`]+)`/.exec(cell)?.[1] ?? "").toReversed()
    return [what.trim(), { hops: hops.toReversed().filter((hop) => hop !== ""), there }]
  })

/** True if the text names the path, or a folder of it, as code or as the target of a link. */
function names(text: string, path: string): boolean {
  const named = (place: string) => text.includes(`\`${place}\``) || text.includes(`](${place})`)
  const folders = path.split("/").map((_, index, parts) => `${parts.slice(0, index + 1).join("/")}/`)
  return named(path) || folders.some(named)
}

function leadsTo(from: string, to: string): boolean {
  if (from.endsWith(".md")) return names(/^## The map\n([\s\S]*?)^## /m.exec(sourceText(from))?.[1] ?? "", to)
  return importsOf(from).some((one) => one.to === to)
}

test("the tour has the five changes that a stranger makes first", () => {
  expect(TOURS.map(([what]) => what)).toEqual([
    "a price",
    "a reason",
    "a list source",
    "an HTTP error",
    "a command's flag",
  ])
})

describe.each(TOURS)("%s", (_, { hops, there }) => {
  test(`is reached in at most ${HOPS_MAX} hops from the map of README`, () => {
    expect(hops.length).toBeGreaterThan(0)
    expect(hops.length).toBeLessThanOrEqual(HOPS_MAX)
    const map = readme.slice(readme.indexOf("\n## The map"))
    const [first = ""] = hops
    expect([first, names(map, first)]).toEqual([first, true])
  })

  test("each hop names the next one", () => {
    const broken = hops.slice(1).filter((to, index) => !leadsTo(hops[index] ?? "", to))
    expect(broken).toEqual([])
  })

  test("the last file holds the thing to change", () => {
    const last = hops.at(-1) ?? ""
    expect([last, sourceText(last).includes(there)]).toEqual([last, true])
  })
})
