/**
 * Replaces a key and kills itself before one step, or opens the directory for the step OPEN and prints why it may not. Arguments: DIRECTORY FILE KEY
 * STEP; an empty FILE for a database in the directory.
 */
import { realMachine } from "../../src/base/machine.ts"
import { openDataDirectory } from "../../src/data/data-directory.ts"
import { dataPaths } from "../../src/data/data-paths.ts"
import { replaceHmacKey } from "../../src/data/replace-hmac-key.ts"

const [directory = "", file = "", key, step] = process.argv.slice(2)
const databaseFile = file === "" ? null : file
if (step === "OPEN") {
  await openDataDirectory(directory, { machine: realMachine, migrate: true, databaseFile, onFatal: () => {} }).catch(
    (error: Error) => console.log(error.message),
  )
  process.exit()
}
await replaceHmacKey(
  { paths: dataPaths(directory), databaseFile, key: key as "quoteKey" | "tokenKey" },
  {
    machine: realMachine,
    trace: (reached) => {
      if (reached === step) process.kill(process.pid, "SIGKILL")
    },
  },
)
