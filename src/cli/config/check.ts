import { type Config, ConfigError, originOf } from "../../base/config.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { createLog } from "../../base/log.ts"
import { realMachine } from "../../base/machine.ts"
import { type Environment, MigrationPending, openDataDirectory } from "../../data/data-directory.ts"
import { requireNewestLog } from "../../data/log-size-record.ts"
import { issuerFault } from "../../keys/own-identity.ts"
import { SERVED_NETWORK } from "../../payments/networks/networks.ts"
import { checkSettings, relayerFaults } from "../../server/config-rules.ts"
import { hostOfOrigin, logOrigin } from "../../store/log/log-origin.ts"
import { besideListenFaults, listenFault } from "../bind.ts"
import { type Command, type Input, OPTIONAL_DATA_FLAG } from "../command.ts"
import { requireNoProxy } from "../environment-variables.ts"
import { asDataRefusal, CONFIG_FLAGS, dataArgument, needData, readSettings } from "../inputs.ts"
import { accessLogFault } from "../log/open-access-log.ts"

/** Applies the checks that `serve` applies before it serves, except requests to nodes and publishers. */
export const command: Command = {
  name: "config check",
  summary:
    "apply every rule that serve applies to configuration and data directory, report every fault, change nothing",
  operands: "",
  flags: { ...CONFIG_FLAGS, ...OPTIONAL_DATA_FLAG },
  examples: ["config check --data ./data"],
  async run(input) {
    requireNoProxy(input.environment)
    const { config, file } = readSettings(input)
    const found = dataArgument(input) === undefined ? NO_DIRECTORY : await inspect(input, config)
    const { faults: rules, parts } = checkSettings(config, found.environment, SERVED_NETWORK)
    const unwritable = accessLogFault(config, dataArgument(input) ?? null)
    const faults = [
      ...rules,
      ...found.faults,
      ...(await listenFaults(config)),
      ...(unwritable === null ? [] : [unwritable]),
    ]
    if (parts === null || faults.length > 0) {
      const both = found.refusal === null ? faults : [...faults, found.refusal.message]
      throw new CommandError(EXIT.CONFIG, both.join("\n"))
    }
    const late = await relayerFaults(parts.payments, realMachine)
    if (late.length > 0) throw new CommandError(EXIT.CONFIG, late.join("\n"))
    if (found.refusal !== null) throw found.refusal
    for (const note of found.notes) input.err(`note: ${note}\n`)
    const isCompared = found !== NO_DIRECTORY
    input.result(
      { file, compared_with_data_directory: isCompared, notes: found.notes },
      `configuration is right${file === null ? " (no file)" : `: ${file}`}\n${
        isCompared ? "" : "not compared with a data directory: name it with --data\n"
      }`,
    )
    return EXIT.DONE
  },
}

interface Inspected {
  readonly environment: Environment | null
  /** Settings that contradict the directory. */
  readonly faults: readonly string[]
  /** Why the directory cannot be used. */
  readonly refusal: CommandError | null
  readonly notes: readonly string[]
}

const NO_DIRECTORY: Inspected = { environment: null, faults: [], refusal: null, notes: [] }

async function inspect(input: Input, config: Config): Promise<Inspected> {
  const nothing = { environment: null, faults: [], notes: [] }
  try {
    const opened = await openDataDirectory(needData(input), {
      machine: realMachine,
      migrate: false,
      inspect: true,
      databaseFile: config.database_file,
      onFatal: (error) => {
        throw error
      },
    })
    const { store, environment } = opened
    try {
      await requireNewestLog(opened)
      const issuer = await issuerFault({ store, issuerId: config.issuer_id })
      const origin = await store.read(logOrigin)
      return {
        environment,
        faults: issuer === null ? [] : [issuer],
        refusal: null,
        notes: [...opened.notices, ...originNotes(config, origin)],
      }
    } finally {
      await store.close()
    }
  } catch (error) {
    // `serve` updates the schema, so a pending migration is not a fault here.
    if (error instanceof MigrationPending) {
      return { ...nothing, environment: error.environment, refusal: null, notes: [error.message] }
    }
    // The rules of the settings report this fault too.
    if (error instanceof ConfigError) return { ...nothing, refusal: null }
    const refusal = asDataRefusal(error)
    if (refusal instanceof CommandError && refusal.exit === EXIT.DATA) return { ...nothing, refusal }
    throw error
  }
}

function originNotes(config: Config, origin: string | null): readonly string[] {
  if (origin === null || (config.base_url === null && (config.listen.kind === "unix" || config.listen.port === 0)))
    return []
  const { host } = new URL(originOf(config))
  if (hostOfOrigin(origin) === host) return []
  return [
    `the transparency log is named ${origin}, and base_url has the host ${host}: bizauth log new-origin changes the name`,
  ]
}

async function listenFaults(config: Config): Promise<readonly string[]> {
  const log = createLog("error", () => {}, realMachine.now)
  const faults = [await listenFault(config.listen, log), ...(await besideListenFaults(config, log))]
  return faults.filter((fault) => fault !== null)
}
