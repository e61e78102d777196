/** Restores and kills itself before one step. Arguments: `restore` FILE DIRECTORY STEP, or `downgrade` DIRECTORY "" STEP. */

import { realMachine } from "../../../src/base/machine.ts"
import { restoreBackup } from "../../../src/data/backup/restore-backup.ts"
import { restoreBeforeUpgrade } from "../../../src/data/backup/restore-before-upgrade.ts"
import { dataPaths } from "../../../src/data/data-paths.ts"

const [what, first = "", second = "", step] = process.argv.slice(2)
const trace = (reached: string) => {
  if (reached === step) process.kill(process.pid, "SIGKILL")
}
if (what === "restore") {
  const order = {
    file: first,
    directory: second,
    requireNewest: step === "COMPARE" ? async () => {} : null,
    passphrase: null,
  }
  await restoreBackup(order, { machine: realMachine, trace })
} else {
  await restoreBeforeUpgrade(dataPaths(first), { machine: realMachine, trace })
}
