/** docs/decisions.md has one entry for each decision that a comment cites, and no entry that nothing cites. */
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import { ROOT, sourceText } from "./fixtures/imports.ts"

const PAGE = "docs/decisions.md"
/** The examples below are not citations. */
const THIS_FILE = "test/decisions.test.ts"

const CITATION = /\brulings?\s+(\d+\b(?:(?:\s*,\s*(?:and\s+)?|\s+(?:and|to)\s+)\d+\b)*)/gi
/** A citation may continue on the next line of its comment. */
const LINE_BREAK_IN_COMMENT = /\n\s*(?:\*|\/\/|--)?\s*/g

/** The numbers that a text cites, in order: `rulings 35, 36`, `rulings 47 and 49`, and each number of `rulings 68 to 73`. */
function citedIn(text: string): number[] {
  const citations = [...text.replace(LINE_BREAK_IN_COMMENT, " ").matchAll(CITATION)].map(([, numbers = ""]) => numbers)
  return citations
    .flatMap((numbers) => [...numbers.matchAll(/(\d+)(?:\s+to\s+(\d+))?/g)])
    .flatMap(([, first, last]) => range(Number(first), Number(last ?? first)))
}

function range(first: number, last: number): number[] {
  if (last < first) throw new RangeError(`a range of decisions must go up: ${first} to ${last}`)
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

interface Citation {
  readonly path: string
  readonly number: number
}

function citationsIn(pattern: string): Citation[] {
  const paths = [...new Glob(pattern).scanSync({ cwd: ROOT })].filter((path) => path !== THIS_FILE && path !== PAGE)
  return paths.toSorted().flatMap((path) => citedIn(sourceText(path)).map((number) => ({ path, number })))
}

interface Entry {
  /** Of the anchor before the heading. */
  readonly anchor: number
  readonly number: number
  readonly text: string
}

/** The entries of the page, each from its anchor to the next one. */
function entriesOf(page: string): Entry[] {
  return page
    .split(/^(?=<a id="decision-)/m)
    .filter((part) => part.startsWith("<a "))
    .map((part) => {
      const [, anchor, number, text = ""] =
        /^<a id="decision-(\d+)"><\/a>\n\n## (\d+)\. \S.*\n\n([\s\S]+)$/.exec(part) ?? []
      if (number === undefined) throw new Error(`an entry needs an anchor, a heading and a text: ${part.slice(0, 80)}`)
      return { anchor: Number(anchor), number: Number(number), text }
    })
}

const entries = entriesOf(sourceText(PAGE))
const numbers = entries.map(({ number }) => number)
const fromCode = citationsIn("{src,schemas,db,test,scripts}/**/*.{ts,sql,js,mjs,sh}")
const fromPages = citationsIn("{README.md,CHANGELOG.md,docs/**/*.md}")

describe("the page of decisions", () => {
  test("has an entry for every decision that the code or a page cites", () => {
    expect(fromCode.length).toBeGreaterThan(100)
    const missing = [...fromCode, ...fromPages].filter(({ number }) => !numbers.includes(number))
    expect(missing.map(({ path, number }) => `${path} cites ${number}`)).toEqual([])
  })

  test("has no entry that the code does not cite", () => {
    const cited = new Set(fromCode.map(({ number }) => number))
    expect(numbers.filter((number) => !cited.has(number))).toEqual([])
  })

  test("lists its entries by number, each once, under an anchor of the same number", () => {
    const headings = [...sourceText(PAGE).matchAll(/^## (\d+)\./gm)].map(([, number]) => Number(number))
    expect(numbers).toEqual(headings)
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
    expect(entries.map(({ anchor }) => anchor)).toEqual(numbers)
  })

  test("names one existing file in each entry", () => {
    const pathsOf = ({ text }: Entry) =>
      [...text.matchAll(/`((?:src|schemas|db|test|scripts)\/[^`\s]+)`/g)].map(([, path = ""]) => path)
    const wrong = entries.filter((entry) => {
      const [path, ...others] = pathsOf(entry)
      return path === undefined || others.length > 0 || !existsSync(join(ROOT, path))
    })
    expect(wrong.map(({ number, ...entry }) => ({ number, paths: pathsOf({ number, ...entry }) }))).toEqual([])
  })
})

describe("the reader of citations", () => {
  test.each<[text: string, cited: number[]]>([
    ["// (rulings 41)", [41]],
    ["/** Ruling 23: the later of two times. */", [23]],
    ["/** Rulings 7: one case. */", [7]],
    ["(rulings 35, 36).", [35, 36]],
    ["rulings 41, 47, 56: every number", [41, 47, 56]],
    ["rulings 1, 2, and 3", [1, 2, 3]],
    ["rulings 47 and 49): keys", [47, 49]],
    ["rulings 68 to 73", [68, 69, 70, 71, 72, 73]],
    ["rulings 5, 68 to 70 and 80", [5, 68, 69, 70, 80]],
    ["rulings 16 here, ruling 20 there", [16, 20]],
  ])("reads %j", (text, cited) => {
    expect(citedIn(text)).toEqual(cited)
  })

  test.each<[text: string, cited: number[]]>([
    ["/**\n * As rulings 35,\n * 36 say.\n */", [35, 36]],
    ["// as rulings\n  // 47 and\n  // 49 say", [47, 49]],
    ["-- rulings 68\n-- to 70", [68, 69, 70]],
  ])("follows a citation to the next line of its comment: %j", (text, cited) => {
    expect(citedIn(text)).toEqual(cited)
  })

  test.each(["as rulings 29: 400, 422, 404", "(rulings 29), 400", "rulings 29, in 400 cases", "rulings 29; 400"])(
    "ignores a number that is not part of the list: %j",
    (text) => {
      expect(citedIn(text)).toEqual([29])
    },
  )

  test.each(["rulings NN", "the rule 8", "41 rulings", "rulings 5th"])("finds no citation in %j", (text) => {
    expect(citedIn(text)).toEqual([])
  })

  test("rejects a range that goes down", () => {
    expect(() => citedIn("rulings 73 to 68")).toThrow("73 to 68")
  })
})

describe("the reader of entries", () => {
  const entry = '<a id="decision-7"></a>\n\n## 7. A title\n\nOne sentence.\n'

  test("reads anchor, number and text of each entry", () => {
    expect(entriesOf(`# Decisions\n\nText.\n\n${entry}\n${entry.replaceAll("7", "9")}`)).toEqual([
      { anchor: 7, number: 7, text: "One sentence.\n\n" },
      { anchor: 9, number: 9, text: "One sentence.\n" },
    ])
  })

  test.each([
    ["a heading", entry.replace("## 7. A title\n\n", "")],
    ["a title", entry.replace("A title", "")],
    ["a text", entry.replace("One sentence.\n", "")],
  ])("rejects an entry without %s", (_, page) => {
    expect(() => entriesOf(page)).toThrow("an entry needs")
  })
})
