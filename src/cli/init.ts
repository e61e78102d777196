import { type Config, resolveConfig } from "../config.ts"
import { createDataDirectory, type Environment } from "../data/data-directory.ts"
import { CommandError, EXIT } from "../exit.ts"
import { fingerprint } from "../keys/fingerprint.ts"
import { keyFilePath } from "../keys/key-file.ts"
import { recoveryKeys } from "../keys/key-places.ts"
import { realMachine } from "../machine.ts"
import { settings } from "../settings.ts"
import type { KeyUse } from "../store/identity/service-keys.ts"
import { type Command, DATA_FLAG, type Input } from "./command.ts"
import { asConfigRefusal, asDataRefusal, needData } from "./inputs.ts"

export const command: Command = {
  name: "init",
  summary: "make a data directory: database, signing key, configuration",
  operands: "",
  flags: {
    ...DATA_FLAG,
    environment: {
      help: "test to try it out, live for real money; it cannot be changed later",
      value: "ENVIRONMENT",
      required: true,
    },
    "base-url": {
      help: `${settings.base_url.help}; its host permanently names the transparency log`,
      value: "URL",
      required: "with --environment live",
    },
    "issuer-id": { help: `${settings.issuer_id.help} (default ${settings.issuer_id.default})`, value: "VALUE" },
  },
  examples: [
    "init --data ./data --environment test",
    "init --data ./live --environment live --base-url https://decisions.example",
  ],
  async run(input) {
    const directory = needData(input)
    const environment = environmentOf(input)
    const config = given(input)
    if (environment === "live" && config.base_url === "") {
      const why = "the public origin of the service, whose host permanently names its transparency log"
      throw new CommandError(EXIT.USAGE, `--base-url is needed with --environment live: ${why}`)
    }
    const made = await createDataDirectory(directory, environment, realMachine, {
      issuerId: config.issuer_id,
      ...(config.base_url === "" ? {} : { baseUrl: config.base_url }),
      logHost: new URL(config.base_url === "" ? `http://${config.listen}` : config.base_url).host,
    }).catch((error: unknown) => {
      throw asDataRefusal(error)
    })
    input.result(asJson(made, environment), forPeople(made, environment, directory))
    return EXIT.DONE
  },
}

type Made = Awaited<ReturnType<typeof createDataDirectory>>

function asJson({ paths, enrolled, schema, logOrigin }: Made, environment: Environment) {
  return {
    directory: paths.directory,
    environment,
    schema,
    log_origin: logOrigin,
    keys: enrolled.map(({ use, key, agentId }) => ({
      use,
      kid: key.keyId,
      fingerprint: fingerprint(key.x),
      agent_id: agentId,
      file: keyFilePath(paths.keys, key.keyId),
    })),
    back_up: paths.keys,
    take_offline: recoveryKeys(paths.keys),
  }
}

function forPeople({ paths, enrolled, schema, logOrigin }: Made, environment: Environment, directory: string): string {
  const files = enrolled.map(
    ({ use, key }) =>
      `created  ${keyFilePath(paths.keys, key.keyId)}\n             ${SIGNS[use]}; readable only by this user\n`,
  )
  const keys = enrolled.map(
    ({ use, key, agentId }) =>
      `${`${use === "statement" ? "signing" : use} key`.padEnd(13)}kid ${key.keyId}\n             SHA-256 ${fingerprint(key.x)}\n             Agent ID ${agentId}\n`,
  )
  return `created  ${paths.database}
             database (schema ${schema}, ${environment})
${files.join("")}created  ${paths.quoteKey}
             secret that ties a payment to its quote; readable only by this user
created  ${paths.tokenKey}
             secret from which authorization tokens are made; readable only by this user
created  ${paths.configuration}
             configuration, every key explained

${keys.join("")}log          ${logOrigin}
             name of the transparency log, in every checkpoint; only bizauth log new-origin changes it
             publish fingerprints, Agent IDs and the log's name where your customers can find them without this server

back up      ${paths.keys}
             If the signing key is lost, old capsules still verify, but none can be signed under this kid again.
take offline ${recoveryKeys(paths.keys)}
             The recovery key of each key above. Move the directory to a place that a thief of this machine cannot find.
             bizauth serve works without it. bizauth keys revoke needs it, and nothing else can revoke a stolen key.
next         bizauth serve --data ${directory}
`
}

const SIGNS: Readonly<Record<KeyUse, string>> = {
  statement: "signs capsules, receipts and statuses",
  log: "signs checkpoints of the transparency log",
  sandbox: "signs only test documents, so that nobody takes one for a real document",
}

function environmentOf(input: Input): Environment {
  const environment = input.need("environment")
  if (environment === "test" || environment === "live") return environment
  throw new CommandError(EXIT.USAGE, "--environment must be test or live")
}

/**
 * From their first event, the identities name the issuer and the log names the host. So both are required before a configuration file
 * exists.
 */
function given({ values, environment }: Input): Config {
  try {
    return resolveConfig({ flags: values, environment, file: null }).config
  } catch (error) {
    throw asConfigRefusal(error)
  }
}
