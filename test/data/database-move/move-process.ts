/** Moves a database and kills itself. Arguments: DIRECTORY FILE STEP ROWS; an empty FILE moves back into the directory. */
import { realMachine } from "../../../src/base/machine.ts"
import { dataPaths } from "../../../src/data/data-paths.ts"
import { moveDatabase } from "../../../src/data/database-move/move-database.ts"
import { orderTo } from "./move-bench.ts"

const [directory = "", to = "", step, rows = "0"] = process.argv.slice(2)
await moveDatabase(orderTo(dataPaths(directory), to === "" ? null : to), {
  machine: realMachine,
  trace: (reached, copied) => {
    if (reached === step && (copied ?? 0) >= Number(rows)) process.kill(process.pid, "SIGKILL")
  },
})
