import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { dataPaths } from "../../data/data-paths.ts"
import { HMAC_USES, type HmacKeys } from "../../data/hmac-keys.ts"
import { replaceHmacKey } from "../../data/replace-hmac-key.ts"
import { type Command, DATA_FLAG, type Input, JSON_FLAG } from "../command.ts"
import { asDataFault } from "../data-fault.ts"
import { asConfigRefusal, asDataRefusal, databaseFile, needData } from "../inputs.ts"

const KEYS = ["quoteKey", "tokenKey"] as const satisfies readonly (keyof HmacKeys)[]

const VOID: Readonly<Record<keyof HmacKeys, string>> = {
  quoteKey: "open quotes: callers ask for new ones. Nothing changes for what was paid",
  tokenKey:
    "nothing that holders have: their tokens stay valid. But an answer that is given out again has a token that nobody knows. If the key was stolen, ask the holders to revoke open change tokens",
}

export const command: Command = {
  name: "keys replace-hmac",
  summary: "make a new HMAC key for quotes or tokens in place of a lost or stolen one; the service must be stopped",
  operands: "",
  flags: {
    ...DATA_FLAG,
    config: { help: "configuration file (or BIZAUTH_CONFIG); default DIR/bizauth.toml", value: "FILE" },
    use: { help: `${Object.values(HMAC_USES).join(" or ")}: what the key is for`, value: "USE", required: true },
    ...JSON_FLAG,
  },
  examples: ["keys replace-hmac --use quote --data ./data"],
  async run(input) {
    const key = keyOf(input)
    const paths = dataPaths(needData(input))
    const order = { paths, databaseFile: databaseFile(input), key }
    await replaceHmacKey(order, { machine: realMachine, work: input.progress }).catch((error: unknown) => {
      throw asDataFault(asConfigRefusal(asDataRefusal(error)))
    })
    input.result(
      { use: HMAC_USES[key], key_file: paths[key] },
      `replaced ${paths[key]}
void     ${VOID[key]}
copy     this file to keys/ of every other instance on this database before it starts: with another one it refuses to start
next     back up keys/ together with the database, then bizauth serve
`,
    )
    return EXIT.DONE
  },
}

function keyOf(input: Input): keyof HmacKeys {
  const use = input.need("use")
  const key = KEYS.find((one) => HMAC_USES[one] === use)
  if (!key) throw new CommandError(EXIT.USAGE, `--use must be ${Object.values(HMAC_USES).join(" or ")}`)
  return key
}
