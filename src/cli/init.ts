import { createDataDirectory } from "../data-directory.ts"
import { fingerprint } from "../keys/fingerprint.ts"
import { keyFilePath } from "../keys/key-file.ts"
import { realMachine } from "../machine.ts"
import type { KeyUse } from "../store/service-keys.ts"
import { type Command, DATA_FLAG } from "./command.ts"
import { CommandError, EXIT } from "./exit.ts"
import { asDataRefusal, needData } from "./inputs.ts"

export const command: Command = {
  name: "init",
  summary: "make a data directory: database, signing key, configuration",
  operands: "",
  flags: {
    ...DATA_FLAG,
    environment: { help: "test or live (default test); it never changes afterwards", value: "ENVIRONMENT" },
  },
  async run(input) {
    const environment = input.text("environment") ?? "test"
    if (environment !== "test" && environment !== "live") {
      throw new CommandError(EXIT.USAGE, "--environment must be test or live")
    }
    const directory = needData(input)
    const made = await createDataDirectory(directory, environment, realMachine).catch((error: unknown) => {
      throw asDataRefusal(error)
    })
    const { paths, keys, schema } = made
    const ofUse = (use: KeyUse) => {
      const key = keys.find((made) => made.use === use)
      if (!key) throw new Error(`init made no ${use} key`)
      return key
    }
    const file = (use: KeyUse) => keyFilePath(paths.keys, ofUse(use).keyId)
    input.out(`created  ${paths.database}
             database (schema ${schema}, ${environment})
created  ${file("statement")}
             signing key, readable only by this user
created  ${file("log")}
             key of the transparency log, readable only by this user
created  ${file("sandbox")}
             key that signs what is only a rehearsal, readable only by this user
created  ${paths.quoteKey}
             secret that ties a payment to its quote, readable only by this user
created  ${paths.configuration}
             configuration, every key commented

signing key  kid ${ofUse("statement").keyId}
             SHA-256 ${fingerprint(ofUse("statement").x)}
log key      kid ${ofUse("log").keyId}
             SHA-256 ${fingerprint(ofUse("log").x)}
             publish these fingerprints where your customers can find them without this server

back up      ${paths.keys}
             If the signing key is lost, old capsules still verify, but none can be signed under this kid again.
next         bizauth serve --data ${directory}
`)
    return EXIT.DONE
  },
}
