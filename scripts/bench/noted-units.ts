/** Units as a store ran them, with the names of their statements. */
import { basename } from "node:path"
import { sqliteShape } from "../../src/store/engine/sqlite/sqlite-statements.ts"
import type { Statement, Store, Unit } from "../../src/store/engine/unit.ts"
import { everyQuery } from "../../test/store/every-query.ts"

export interface NotedUnit {
  /** Method of the store. */
  readonly kind: "run" | "runInPlace" | "read" | "readTogether"
  /** File and line that gave it to the store. */
  readonly caller: string
  /** Such as `holds.ts insert`, in their order. Of a unit that ran again, those of the last run. */
  statements: string[]
}

/** A store that notes each unit of `real` in `noted`. */
export function notingStore(real: Store, noted: NotedUnit[]): Store {
  const nameOf = queryNames()
  const note = (kind: NotedUnit["kind"]) => {
    const unit: NotedUnit = { kind, caller: callerFrom(new Error().stack ?? ""), statements: [] }
    noted.push(unit)
    return unit
  }
  function* noting<T>(own: Unit<T>, unit: NotedUnit): Unit<T> {
    unit.statements = []
    let step = own.next()
    while (!step.done) {
      const { value } = step
      if (value.order === undefined) unit.statements.push(nameOf(value.query))
      step = own.next(yield value)
    }
    return step.value
  }
  const writing = (kind: "run" | "runInPlace"): Store["run"] => {
    return (unit, order) => {
      const one = note(kind)
      return real[kind](() => noting(unit(), one), order)
    }
  }
  return {
    run: writing("run"),
    runInPlace: writing("runInPlace"),
    read: (unit) => {
      const one = note("read")
      return real.read(() => noting(unit(), one))
    },
    readTogether: (unit) => {
      const one = note("readTogether")
      return real.readTogether((version) => noting(unit(version), one))
    },
    version: () => real.version(),
    close: () => real.close(),
  }
}

/** Names by the text of SQLite, which each query has on every engine. */
function queryNames(): (query: Statement["query"]) => string {
  const names = new Map(everyQuery().map(({ name, sql }) => [sql, name]))
  return (query) => {
    const { text } = sqliteShape(query)
    return names.get(text) ?? text
  }
}

/** The first place of the service outside the engine. */
function callerFrom(stack: string): string {
  const [, file = "test", line = ""] = /\/src\/(?!store\/engine\/)([a-z0-9/-]+\.ts):(\d+)/.exec(stack) ?? []
  return `${basename(file)}${line && `:${line}`}`
}
