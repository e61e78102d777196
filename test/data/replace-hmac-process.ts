/** Replaces a key and kills itself before one step. Arguments: DIRECTORY FILE KEY STEP; an empty FILE for a database in the directory. */
import { realMachine } from "../../src/base/machine.ts"
import { dataPaths } from "../../src/data/data-paths.ts"
import { replaceHmacKey } from "../../src/data/replace-hmac-key.ts"

const [directory = "", file = "", key, step] = process.argv.slice(2)
await replaceHmacKey(
  { paths: dataPaths(directory), databaseFile: file === "" ? null : file, key: key as "quoteKey" | "tokenKey" },
  {
    machine: realMachine,
    trace: (reached) => {
      if (reached === step) process.kill(process.pid, "SIGKILL")
    },
  },
)
