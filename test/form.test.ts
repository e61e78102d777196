/** The rules for the form of functions and comments in docs/contribute.md, "Form". The short lists of exceptions are printed there. */
import { expect, test } from "bun:test"
import type { Node } from "typescript/unstable/ast"
import {
  isArrowFunction,
  isConstructorDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isMethodDeclaration,
  isPropertyAssignment,
  isVariableDeclaration,
} from "typescript/unstable/ast/is"
import { sourceFiles, sourceText } from "./fixtures/imports.ts"
import { eachNode, syntaxOf } from "./fixtures/syntax.ts"

const LINES_MAX = 70
const PARAMETERS_MAX = 4

/** `file: function`, with the reason why the wide form reads better. */
const WIDE: Readonly<Record<string, string>> = {
  "src/http/arrival.ts: constructor":
    "one is made for each request, and a bag would be a second allocation on the paid path",
  "scripts/docs/limits/limit.ts: row": "a row of a printed table, with its cells in the order of the columns",
}

interface Made {
  readonly name: string
  readonly lines: number
  readonly parameters: number
}

const paths = sourceFiles("src", "schemas", "db", "scripts")
const functions = new Map<string, readonly Made[]>(
  [...(await syntaxOf(paths))].map(([path, tree]) => {
    const text = sourceText(path)
    const made: Made[] = []
    eachNode(tree, (node) => {
      const own = functionIn(node)
      if (own) made.push({ ...own, lines: text.slice(own.from, own.to).trim().split("\n").length })
      return true
    })
    return [path, made]
  }),
)

/** A function and its name: its own, or that of the variable or member that holds it. */
function functionIn(node: Node): { name: string; from: number; to: number; parameters: number } | null {
  if (isVariableDeclaration(node) || isPropertyAssignment(node)) {
    const held = node.initializer
    if (!held || !(isArrowFunction(held) || isFunctionExpression(held))) return null
    return { name: textOf(node.name), from: held.pos, to: held.end, parameters: held.parameters.length }
  }
  if (isConstructorDeclaration(node)) {
    return { name: "constructor", from: node.pos, to: node.end, parameters: node.parameters.length }
  }
  if (!isFunctionDeclaration(node) && !isMethodDeclaration(node)) return null
  const from = node.body?.pos ?? node.pos
  return { name: textOf(node.name), from, to: node.end, parameters: node.parameters.length }
}

function textOf(name: Node | undefined): string {
  return name && "text" in name ? String(name.text) : ""
}

function breaking(isTooMuch: (made: Made) => boolean): string[] {
  return [...functions].flatMap(([path, made]) => made.filter(isTooMuch).map(({ name }) => `${path}: ${name}`)).sort()
}

test(`no function has more than ${LINES_MAX} lines`, () => {
  expect(breaking(({ lines }) => lines > LINES_MAX)).toEqual([])
})

test(`no function has more than ${PARAMETERS_MAX} positional parameters, or the list says why`, () => {
  const wide = breaking(({ parameters }) => parameters > PARAMETERS_MAX)
  expect(wide).toEqual(Object.keys(WIDE).sort())
})

test("no two doc comments are stacked: each one is above what it describes", () => {
  const stacked = /^\s*(?:\/\*\*|\*)[^\n]*\*\/\s*\n\s*\/\*\*/m
  expect([...paths, ...sourceFiles("test")].filter((path) => stacked.test(sourceText(path)))).toEqual([])
})

test("the reader finds long functions, wide functions and stacked comments: a test of the tests above", () => {
  const all = [...functions.values()].flat()
  expect(all.length).toBeGreaterThan(3_000)
  expect(all.some(({ name, parameters }) => name === "nextStep" && parameters > 0)).toBe(true)
  expect(Math.max(...all.map(({ lines }) => lines))).toBeGreaterThan(50)
})
