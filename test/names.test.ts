/** The rules for names in docs/contribute.md, "Words". The tests read the names from syntax trees, so comments and strings are free. */
import { expect, test } from "bun:test"
import type { Node, SourceFile } from "typescript/unstable/ast"
import {
  isArrowFunction,
  isCallExpression,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isMethodDeclaration,
  isMethodSignatureDeclaration,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isPropertyDeclaration,
  isThrowStatement,
  isVariableDeclaration,
} from "typescript/unstable/ast/is"
import { codeOf, sourceFiles } from "./fixtures/imports.ts"
import { eachNode, syntaxOf } from "./fixtures/syntax.ts"

/** Words that had several meanings each. No identifier has one of them. */
const GONE = [
  "standing",
  "standings",
  "asked",
  "house",
  "houses",
  "market",
  "shop",
  "stage",
  "scene",
  "world",
  "worlds",
  "room",
  "rooms",
]
const ALLOWED: Readonly<Record<string, string>> = {
  "scripts/simulate.ts: world": "a flag of the command",
  state_good_standing: "a wire key",
  asked: "a member of a case: what the request says, beside what was found",
  NOT_ASKED: "a value of a case: the request says nothing about it",
  NoRoom: "a disk without enough space",
  noRoom: "a disk without enough space",
  openWorldHint: "a member of MCP",
  requireRoom: "a disk with enough space",
  withRoom: "a disk with enough space",
}
/** How no function is named, and the word of the field for what it does. The column `look_at` keeps its name. */
const INSTEAD: readonly (readonly [name: RegExp, instead: string])[] = [
  [/^look(?!Up|Alike|At$)([A-Z]|$)/, "poll, check or search"],
  [/^tend([A-Z]|$)/, "maintain"],
  [/^(isolate|keep)Apart|^apart([A-Z]|$)/, "isolate"],
  [/^goOn([A-Z]|$)/, "resume"],
  [/^giveBack([A-Z]|$)/, "release"],
  [/^putOff([A-Z]|$)/, "postpone"],
  [/^say([A-Z]|$)|^markSaid/, "post"],
  [/^sideBySide/, "concurrently"],
]
/** Helpers that always throw, or throw when their condition is false. */
const THROWING = ["must", "reject"]
/** A limit that is switched off has nothing to throw. */
const NEVER_THROWS = ["src/http/rate-limit.ts: requireAtMost"]

const wordsOf = (name: string): string[] =>
  name
    .replace(/companies_?house/gi, "")
    .split(/_|(?<=[a-z0-9])(?=[A-Z])/)
    .map((word) => word.toLowerCase())
const hasGoneWord = (name: string): boolean => !(name in ALLOWED) && wordsOf(name).some((word) => GONE.includes(word))
const isGone = (path: string, name: string): boolean => hasGoneWord(name) && !(`${path}: ${name}` in ALLOWED)

interface Named {
  readonly name: string
  /** Absent for a method of an interface. */
  readonly body: Node | undefined
}

function functionsOf(file: SourceFile): Named[] {
  const found: Named[] = []
  eachNode(file, (node) => {
    if (isFunctionDeclaration(node) || isMethodDeclaration(node) || isMethodSignatureDeclaration(node)) {
      if (node.name && isIdentifier(node.name)) {
        found.push({ name: node.name.text, body: "body" in node ? node.body : undefined })
      }
    } else if (isVariableDeclaration(node) || isPropertyAssignment(node) || isPropertyDeclaration(node)) {
      const { name, initializer } = node
      if (initializer && (isArrowFunction(initializer) || isFunctionExpression(initializer)) && isIdentifier(name)) {
        found.push({ name: name.text, body: initializer.body })
      }
    }
    return true
  })
  return found
}

const isFunction = (node: Node) =>
  isFunctionDeclaration(node) || isFunctionExpression(node) || isArrowFunction(node) || isMethodDeclaration(node)

/** Whether the function itself has a throw statement. A function inside it is another function. */
function throws(body: Node): boolean {
  let found = false
  eachNode(body, (node) => {
    found ||= isThrowStatement(node)
    return !isFunction(node)
  })
  return found
}

function callsOf(body: Node): string[] {
  const called: string[] = []
  eachNode(body, (node) => {
    if (isCallExpression(node)) {
      const { expression } = node
      if (isIdentifier(expression)) called.push(expression.text)
      if (isPropertyAccessExpression(expression) && isIdentifier(expression.name)) called.push(expression.name.text)
    }
    return true
  })
  return called
}

const program = sourceFiles("src", "scripts")
const everyFile = [...program, ...sourceFiles("schemas", "db", "test")]
// Only files whose text has such a word are parsed.
const WORDS = /\b(refuse|check|require|look|tend|apart|goOn|giveBack|putOff|say|markSaid|sideBySide)/
const ruled = everyFile.filter((path) => WORDS.test(codeOf(path)))
const suspects = everyFile.filter((path) =>
  [...new Set(codeOf(path).match(/[A-Za-z_$][\w$]*/g) ?? [])].some(hasGoneWord),
)
const trees = await syntaxOf([...new Set([...ruled, ...suspects])])
const named = ruled.flatMap((path) => functionsOf(trees.get(path)!).map((each) => ({ path, ...each })))
const inProgram = named.filter(({ path }) => program.includes(path))
const shown = ({ path, name }: { readonly path: string; readonly name: string }) => `${path}: ${name}`

test("no function is named after refusing: it requires, checks or replies", () => {
  expect(named.filter(({ name }) => /^refuse([A-Z]|$)/.test(name)).map(shown)).toEqual([])
})

test("a function named check returns what it found and throws nothing itself", () => {
  const checks = inProgram.filter(({ name }) => /^check([A-Z]|$)/.test(name))
  expect(checks.length).toBeGreaterThan(20)
  expect(checks.filter(({ body }) => body && throws(body)).map(shown)).toEqual([])
})

test("a function named require throws, itself or through another one", () => {
  const requires = inProgram.filter(({ name }) => /^require([A-Z]|$)/.test(name))
  expect(requires.length).toBeGreaterThan(40)
  const canThrow = (body: Node) =>
    throws(body) || callsOf(body).some((name) => /^require[A-Z]/.test(name) || THROWING.includes(name))
  const silent = requires.filter(({ body }) => body && !canThrow(body)).map(shown)
  expect(silent).toEqual(NEVER_THROWS)
})

test.each(INSTEAD)("no function is named %p: use %s", (name) => {
  expect(inProgram.filter((each) => name.test(each.name)).map(shown)).toEqual([])
})

test("no identifier has a word that was given up for having several meanings", () => {
  const found = new Set<string>()
  for (const path of suspects) {
    eachNode(trees.get(path)!, (node) => {
      if (isIdentifier(node) && isGone(path, node.text)) found.add(`${path}: ${node.text}`)
      return true
    })
  }
  expect([...found].sort()).toEqual([])
})

test("every allowed name is still used: a test of the list above", () => {
  const unused = Object.keys(ALLOWED).filter((allowed) => {
    const [path, name] = allowed.includes(": ") ? allowed.split(": ") : ["", allowed]
    const files = everyFile.filter((file) => file !== "test/names.test.ts" && file.startsWith(path ?? ""))
    return !files.some((file) => new RegExp(`\\b${name}\\b`).test(codeOf(file)))
  })
  expect(unused).toEqual([])
})
