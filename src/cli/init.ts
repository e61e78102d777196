import { createDataDirectory } from "../data-directory.ts"
import { fingerprint } from "../keys/fingerprint.ts"
import { realMachine } from "../machine.ts"
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
    const { paths, key, keyPath, schema } = made
    input.out(`created  ${paths.database}
             database (schema ${schema}, ${environment})
created  ${keyPath}
             signing key, readable only by this user
created  ${paths.quoteKey}
             secret that ties a payment to its quote, readable only by this user
created  ${paths.configuration}
             configuration, every key commented

signing key  kid ${key.keyId}
             SHA-256 ${fingerprint(key.x)}
             publish this fingerprint where your customers can find it without this server

back up      ${paths.keys}
             If the signing key is lost, old capsules still verify, but none can be signed under this kid again.
next         bizauth serve --data ${directory}
`)
    return EXIT.DONE
  },
}
