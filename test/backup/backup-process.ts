/** Makes one backup and kills itself before one step. Arguments: data directory, file, step. */
import { type BackupStep, makeBackup } from "../../src/backup/write-backup.ts"
import { dataPaths } from "../../src/data/data-paths.ts"
import { realMachine } from "../../src/machine.ts"

const [directory = "", file = "", step] = process.argv.slice(2)
await makeBackup(
  { paths: dataPaths(directory), file, includesLists: true, passphrase: null },
  {
    machine: realMachine,
    trace: (reached: BackupStep) => {
      if (reached === step) process.kill(process.pid, "SIGKILL")
    },
  },
)
