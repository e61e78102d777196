/** Records a restore and kills itself before one step. Arguments: DIRECTORY URL TIME STEP. */
import { realMachine } from "../../../src/base/machine.ts"
import { recordServerRestore } from "../../../src/data/backup/restored-on-server.ts"
import { dataPaths } from "../../../src/data/data-paths.ts"

const [directory = "", url = "", backupAt = "", step] = process.argv.slice(2)
await recordServerRestore(
  { paths: dataPaths(directory), url, backupAt },
  {
    machine: realMachine,
    trace: (reached) => {
      if (reached === step) process.kill(process.pid, "SIGKILL")
    },
  },
)
