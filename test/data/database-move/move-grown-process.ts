/**
 * Moves the database of a directory to a server and back, and prints the tables of both moves and how far the memory of the process grew, in bytes. It is a
 * process of its own, because that of a test has the memory of the tests before.
 */
import { realMachine } from "../../../src/base/machine.ts"
import { dataPaths } from "../../../src/data/data-paths.ts"
import { moveDatabase } from "../../../src/data/database-move/move-database.ts"
import type { MoveReport } from "../../../src/data/database-move/move-report.ts"
import { orderTo } from "./move-bench.ts"

export interface GrownMove {
  readonly there: MoveReport["tables"]
  readonly back: MoveReport["tables"]
  readonly growth: number
}

const [directory = "", file = ""] = process.argv.slice(2)
const paths = dataPaths(directory)
const before = process.memoryUsage().rss
let largest = before
const work = {
  step: () => {},
  done: () => {
    largest = Math.max(largest, process.memoryUsage().rss)
  },
}
const there = await moveDatabase(orderTo(paths, file), { machine: realMachine, work })
const back = await moveDatabase(orderTo(paths, null), { machine: realMachine, work })
const moved: GrownMove = { there: there.report.tables, back: back.report.tables, growth: largest - before }
console.log(JSON.stringify(moved))
process.exit(0)
