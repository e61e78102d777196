import { resolveConfig, settings } from "../config.ts"
import { createDataDirectory } from "../data-directory.ts"
import { fingerprint } from "../keys/fingerprint.ts"
import { keyFilePath } from "../keys/key-file.ts"
import { recoveryKeys } from "../keys/key-places.ts"
import { realMachine } from "../machine.ts"
import type { KeyUse } from "../store/service-keys.ts"
import { type Command, DATA_FLAG, type Input } from "./command.ts"
import { CommandError, EXIT } from "./exit.ts"
import { asConfigRefusal, asDataRefusal, needData } from "./inputs.ts"

export const command: Command = {
  name: "init",
  summary: "make a data directory: database, signing key, configuration",
  operands: "",
  flags: {
    ...DATA_FLAG,
    environment: { help: "test or live (default test); it never changes afterwards", value: "ENVIRONMENT" },
    "issuer-id": { help: `${settings.issuer_id.help} (default ${settings.issuer_id.default})`, value: "VALUE" },
  },
  async run(input) {
    const environment = input.text("environment") ?? "test"
    if (environment !== "test" && environment !== "live") {
      throw new CommandError(EXIT.USAGE, "--environment must be test or live")
    }
    const directory = needData(input)
    const issuerId = issuerOf(input)
    const made = await createDataDirectory(directory, environment, realMachine, issuerId).catch((error: unknown) => {
      throw asDataRefusal(error)
    })
    const { paths, enrolled, schema } = made
    input.out(`created  ${paths.database}
             database (schema ${schema}, ${environment})
`)
    for (const { use, key } of enrolled) {
      input.out(
        `created  ${keyFilePath(paths.keys, key.keyId)}\n             ${SIGNS[use]}; readable only by this user\n`,
      )
    }
    input.out(`created  ${paths.quoteKey}
             secret that ties a payment to its quote; readable only by this user
created  ${paths.tokenKey}
             secret that authorization tokens are made with; readable only by this user
created  ${paths.configuration}
             configuration, every key explained

`)
    for (const { use, key, agentId } of enrolled) {
      input.out(`${use === "statement" ? "signing" : use} key`.padEnd(13))
      input.out(`kid ${key.keyId}\n             SHA-256 ${fingerprint(key.x)}\n             Agent ID ${agentId}\n`)
    }
    input.out(`             publish fingerprints and Agent IDs where your customers can find them without this server

back up      ${paths.keys}
             If the signing key is lost, old capsules still verify, but none can be signed under this kid again.
take offline ${recoveryKeys(paths.keys)}
             The recovery key of each key above. Move the directory to where a thief of this machine does not find it:
             bizauth serve works without it, bizauth keys revoke asks for it, and nothing else takes back a stolen key.
next         bizauth serve --data ${directory}
`)
    return EXIT.DONE
  },
}

const SIGNS: Readonly<Record<KeyUse, string>> = {
  statement: "signs capsules, receipts and statuses",
  log: "signs checkpoints of the transparency log",
  sandbox: "signs rehearsals, so that none is taken for the real thing",
}

/** The identities name the issuer from their first event on, so it is asked for before there is a configuration file. */
function issuerOf({ values, environment }: Input): string {
  try {
    return resolveConfig({ flags: values, environment, file: null }).config.issuer_id
  } catch (error) {
    throw asConfigRefusal(error)
  }
}
