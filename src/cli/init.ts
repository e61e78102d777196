import { basename } from "node:path"
import { type Config, originOf, resolveConfig } from "../base/config.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { realMachine } from "../base/machine.ts"
import { settings } from "../base/settings.ts"
import { createDataDirectory, type Environment } from "../data/data-directory.ts"
import { fingerprint } from "../keys/fingerprint.ts"
import { keyFilePath } from "../keys/key-file.ts"
import { recoveryKeys } from "../keys/key-places.ts"
import { type Command, DATA_FLAG, type Input } from "./command.ts"
import { asConfigRefusal, asDataRefusal, needData } from "./inputs.ts"
import { inColumns, type Row, rowsText, shellFlag } from "./rows.ts"

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
    "database-file": {
      help: `${settings.database_file.help.split(";")[0]}; the database must be empty`,
      value: "FILE",
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
    if (environment === "live" && config.base_url === null) {
      const why = "the public origin of the service, whose host permanently names its transparency log"
      throw new CommandError(EXIT.USAGE, `--base-url is needed with --environment live: ${why}`)
    }
    const made = await createDataDirectory(directory, environment, realMachine, {
      issuerId: config.issuer_id,
      ...(config.base_url === null ? {} : { baseUrl: config.base_url }),
      ...(config.database_file === null ? {} : { databaseFile: config.database_file }),
      logHost: new URL(originOf(config)).host,
    }).catch((error: unknown) => {
      throw asConfigRefusal(asDataRefusal(error))
    })
    input.result(asJson(made, environment), forPeople(made, environment, directory))
    return EXIT.DONE
  },
}

type Made = Awaited<ReturnType<typeof createDataDirectory>>

function asJson({ paths, database, enrolled, schema, logOrigin }: Made, environment: Environment) {
  return {
    directory: paths.directory,
    environment,
    ...(isInside(paths, database) ? {} : { database: database.name }),
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

/** The database is a file of the directory. */
function isInside(paths: Made["paths"], database: Made["database"]): boolean {
  return database.name === paths.database
}

function forPeople(
  { paths, database, enrolled, schema, logOrigin }: Made,
  environment: Environment,
  directory: string,
): string {
  const data = shellFlag("data", directory)
  const inside = isInside(paths, database)
  const files = inColumns([
    ...(inside ? [[basename(paths.database), `database, schema ${schema}`] as const] : []),
    [basename(paths.configuration), "settings, each with its meaning"],
    ["keys/", "keys of answers, log and sandbox; secrets of quotes and tokens"],
    ["keys/recovery/", "a recovery key for each of these keys"],
    ["snapshots/", "the lists that you import"],
  ])
  const signing = enrolled.find(({ use }) => use === "statement")
  return rowsText(
    [
      ["created", `${paths.directory}, for ${environment}; only this user can read it`],
      ...files.map((line): Row => ["", line]),
      ...(inside ? [] : ([["database", `${database.name}, schema ${schema}`]] satisfies Row[])),
    ],
    [
      ...(signing
        ? ([
            ["signing key", `kid ${signing.key.keyId}`],
            ["", `SHA-256 ${fingerprint(signing.key.x)}`],
            ["", `Agent ID ${signing.agentId}`],
            ["", "publish them where your customers can find them without this server"],
            ["", `bizauth keys list ${data} shows them again, and the other keys`],
          ] satisfies Row[])
        : []),
      ["log", `${logOrigin ?? "named by the first bizauth serve"}`],
      ["", "name of the transparency log; only bizauth log new-origin changes it"],
    ],
    [
      ["back up", paths.keys],
      ["", "if the signing key is lost, old capsules still verify, but nothing is signed under its kid again"],
      ["take offline", recoveryKeys(paths.keys)],
      ["", "nothing else can revoke a stolen key: move it where a thief of this machine cannot find it"],
    ],
    [
      ["next", `bizauth sources fetch ${data}`],
      ["", `or bizauth sources import ID PATH ${data}, for a list that you have as files`],
      ["then", `bizauth serve ${data}`],
    ],
  )
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
