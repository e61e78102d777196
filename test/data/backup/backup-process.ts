/** Makes one backup and kills itself before one step. Arguments: data directory, file, step. */

import { realMachine } from "../../../src/base/machine.ts"
import { type BackupStep, makeBackup } from "../../../src/data/backup/write-backup.ts"
import { dataPaths } from "../../../src/data/data-paths.ts"

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
