/**
 * Every query of the store, seen while the modules of src/store are loaded: `query` is replaced by one that also notes what it made. The
 * replacement does nothing else, so a test that runs later in the same process is not changed by it.
 */
import { mock } from "bun:test"
import type { Preparable, QueryBuilder, Tables } from "../../src/store/unit.ts"
import * as unit from "../../src/store/unit.ts"
import { codeOf, sourceFiles, sourceText } from "../fixtures/imports.ts"

type Build<Row> = (db: QueryBuilder, tables: Tables) => Preparable<Row>

export interface MadeQuery {
  /** File and constant, as `holds.ts insert`. */
  readonly name: string
  readonly build: Build<unknown>
}

const FOLDER = "src/store"

/** Throws when src/store calls `query` in a way that is not seen here: that query would be tested nowhere. */
export async function everyQuery(): Promise<readonly MadeQuery[]> {
  const made = new Map<string, MadeQuery>()
  const { query } = unit
  mock.module("../../src/store/unit.ts", () => ({
    ...unit,
    query: <Row>(build: Build<Row>) => {
      const name = nameFrom(new Error().stack ?? "")
      made.set(name, { name, build })
      return query(build)
    },
  }))
  // A name that no other import has: a module that is loaded already would not be loaded again.
  const once = `every-query-${performance.now()}`
  for (const file of sourceFiles(FOLDER)) await import(`../../${file}?${once}`)
  const unseen = sourceFiles(FOLDER)
    .flatMap(namesIn)
    .filter((name) => !made.has(name))
  if (unseen.length > 0) throw new Error(`queries that were not seen: ${unseen.join(", ")}`)
  return [...made.values()]
}

/** The constant of a module that the call belongs to. */
function nameFrom(stack: string): string {
  const outermost = [...stack.matchAll(/src\/store\/([a-z-]+\.ts)[^:]*:(\d+)/g)].at(-1)
  const [, file = "", line = ""] = outermost ?? []
  const text = sourceText(`${FOLDER}/${file}`).split("\n")[Number(line) - 1] ?? ""
  const name = /^const (\w+) = /.exec(text)?.[1]
  if (name === undefined) throw new Error(`${file}:${line} makes a query and is no constant of its module: ${text}`)
  return `${file} ${name}`
}

/**
 * Names of the queries that the text of a file makes: constants of `query(…)`, and of a function of the same file that returns one.
 * Throws for a call of any other form.
 */
function namesIn(path: string): string[] {
  if (path === `${FOLDER}/unit.ts`) return []
  const code = codeOf(path)
  const constantsOf = (maker: string) =>
    [...code.matchAll(new RegExp(`^const (\\w+) = ${maker}\\(`, "gm"))].map(([, name]) => name ?? "")
  const makers = [...code.matchAll(/^function (\w+)\([\s\S]*?^}/gm)]
    .filter(([body]) => /\breturn query\(/.test(body))
    .map(([, name]) => name ?? "")
  const direct = constantsOf("query")
  const calls = [...code.matchAll(/(?<![.\w])query(?:<[^(]*>)?\(/g)].length
  if (calls !== direct.length + makers.length) throw new Error(`${path} calls query in a form that is not known here`)
  return [...direct, ...makers.flatMap(constantsOf)].map((name) => `${path.slice(FOLDER.length + 1)} ${name}`)
}
