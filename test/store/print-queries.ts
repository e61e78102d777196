/**
 * A process that loads every module of src/store with a recording `query`, and prints each query of the store as JSON. It is a separate
 * process, because later imports of the store in the same process would get the recording `query` too.
 */
import { basename } from "node:path"
import { plugin } from "bun"
import type { Query } from "../../src/store/engine/unit.ts"
import { codeOf, sourceFiles, sourceText } from "../fixtures/imports.ts"
import type { StoreQuery } from "./every-query.ts"

const FOLDER = "src/store"
const UNIT = `${FOLDER}/engine/unit.ts`
/** Their functions make queries of several files. */
const SHARED = [`${FOLDER}/lease.ts`, `${FOLDER}/purge.ts`]
const MADE = "  return { build }\n"

const made = new Map<string, Query<unknown>["build"]>()
Object.assign(globalThis, {
  noteQuery: (build: Query<unknown>["build"]) => {
    made.set(nameFrom(new Error().stack ?? ""), build)
  },
})

plugin({
  name: "notes the queries",
  setup: (build) => {
    build.onLoad({ filter: /src\/store\/engine\/unit\.ts$/ }, () => {
      const text = sourceText(UNIT)
      if (!text.includes(MADE)) throw new Error(`query of ${UNIT} is written otherwise than is known here`)
      return { contents: text.replace(MADE, `  globalThis.noteQuery(build)\n${MADE}`), loader: "ts" }
    })
  },
})

// The entry of a thread waits for messages, and so keeps this process alive.
for (const file of sourceFiles(FOLDER)) if (!file.endsWith("-thread.ts")) await import(`../../${file}`)
const unseen = sourceFiles(FOLDER)
  .flatMap(namesIn)
  .filter((name) => !made.has(name))
if (unseen.length > 0) throw new Error(`queries that were not seen: ${unseen.join(", ")}`)

const { postgresStatement } = await import("../../src/store/engine/postgres/postgres-statements.ts")
const { sqliteShape } = await import("../../src/store/engine/sqlite/sqlite-statements.ts")
process.stdout.write(JSON.stringify([...made].map(asText)))

function asText([name, build]: [string, Query<unknown>["build"]]): StoreQuery {
  const { text, bindings } = sqliteShape({ build })
  const placeholders = bindings.map((binding) => binding.name)
  const { text: postgres, notingText, isRead } = postgresStatement({ build })
  return { name, sql: text, placeholders, postgres, noting: isRead ? null : notingText }
}

/** The constant of the module that the call belongs to, such as `holds.ts insert`. */
function nameFrom(stack: string): string {
  const outermost = [...stack.matchAll(/src\/store\/([a-z/-]+\.ts):(\d+)/g)].at(-1)
  const [, file = "", line = ""] = outermost ?? []
  const text = sourceText(`${FOLDER}/${file}`).split("\n")[Number(line) - 1] ?? ""
  const name = /^const (\w+) = /.exec(text)?.[1]
  if (name === undefined) throw new Error(`${file}:${line} makes a query and is no constant of its module: ${text}`)
  return `${basename(file)} ${name}`
}

/**
 * Names of the queries that the text of a file makes: constants of `query(…)` or `write(…)`, and of a function of the same file, or of one that
 * all share, that returns one. Throws for a call of any other form.
 */
function namesIn(path: string): string[] {
  if (path === UNIT) return []
  const code = codeOf(path)
  const constantsOf = (maker: string) =>
    [...code.matchAll(new RegExp(`^const (\\w+) = ${maker}\\(`, "gm"))].map(([, name]) => name ?? "")
  const makers = makersIn(code)
  const direct = ["query", "write"].flatMap(constantsOf)
  const calls = [...code.matchAll(/(?<![.\w])(?:query|write)(?:<[^(]*>)?\(/g)].length
  if (calls !== direct.length + makers.length) throw new Error(`${path} calls query in a form that is not known here`)
  const shared = SHARED.flatMap((file) => makersIn(codeOf(file)))
  return [...direct, ...[...makers, ...shared].flatMap(constantsOf)].map((name) => `${basename(path)} ${name}`)
}

/** Names of the functions that return a query. */
function makersIn(code: string): string[] {
  return [...code.matchAll(/^(?:export )?function (\w+)[(<][\s\S]*?^}/gm)]
    .filter(([body]) => /\breturn (?:query|write)\(/.test(body))
    .map(([, name]) => name ?? "")
}
