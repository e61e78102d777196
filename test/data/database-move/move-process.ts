/**
 * Moves a database and kills itself. Arguments: DIRECTORY FILE STEP ROWS; an empty FILE moves back into the directory. With the further argument `hang` it
 * prints a line instead, and waits until a line arrives.
 */
import { readSync, writeSync } from "node:fs"
import { realMachine } from "../../../src/base/machine.ts"
import { dataPaths } from "../../../src/data/data-paths.ts"
import { moveDatabase } from "../../../src/data/database-move/move-database.ts"
import { orderTo } from "./move-bench.ts"

const [directory = "", to = "", step, rows = "0", hang] = process.argv.slice(2)
await moveDatabase(orderTo(dataPaths(directory), to === "" ? null : to), {
  machine: realMachine,
  trace: (reached, copied) => {
    if (reached !== step || (copied ?? 0) < Number(rows)) return
    if (hang === undefined) process.kill(process.pid, "SIGKILL")
    writeSync(1, "hangs\n")
    readSync(0, new Uint8Array(1))
  },
})
