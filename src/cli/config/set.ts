import { resolve } from "node:path"
import { SECRET_NAMES, SETTING_NAMES, type SettingName, settingFault } from "../../base/config.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { settings } from "../../base/settings.ts"
import { guess } from "../../core/nearest.ts"
import { changeSettings, requireChangeable, type SettingChanges } from "../../data/configuration-file.ts"
import { type Command, DATA_FLAG, type Input } from "../command.ts"
import { asConfigRefusal, CONFIG_FLAGS, configurationPath } from "../inputs.ts"
import { readConfigFile } from "./config-file.ts"

export const command: Command = {
  name: "config set",
  summary: "write one setting into the configuration file; every other line stays as it is",
  operands: "KEY [VALUE]",
  flags: {
    ...DATA_FLAG,
    config: CONFIG_FLAGS["config"] ?? { help: "configuration file", value: "FILE" },
    unset: { help: "in place of VALUE: the default again" },
  },
  examples: ["config set log_level debug --data ./data", "config set log_level --unset --data ./data"],
  async run(input) {
    const [key = "", value] = input.operands
    const name = settingNamed(key)
    if ((value === undefined) !== input.on("unset")) {
      throw new CommandError(EXIT.USAGE, `config set ${name} needs a VALUE, or --unset for its default`)
    }
    const path = configurationPath(input)
    const before = valueIn(path, name)
    const written = value === undefined ? null : writtenValue(name, value)
    writeSettings(path, { [name]: written })
    const overriding = variableNote(input, name)
    input.result(
      { file: path, key: name, value: written, before },
      `${name} = ${JSON.stringify(written ?? settings[name].default)} in ${path}${before === null ? "" : ` (before: ${JSON.stringify(before)})`}\n${overriding}a running server reads it when it starts again\n`,
    )
    return EXIT.DONE
  },
}

/** Writes settings for a command. Exits with 6 if the file cannot be changed safely, or not by this user. */
export function writeSettings(path: string, changes: SettingChanges): void {
  try {
    requireChangeable(path, changes, "gets the settings")
    changeSettings(path, changes)
  } catch (error) {
    throw asConfigRefusal(error)
  }
}

/** As the file has it: a path of a secret is absolute, because a server may start in another folder. Exits with 6 for a wrong value. */
export function writtenValue(name: SettingName, value: string): string {
  const fault = settingFault(name, value)
  if (fault !== null) throw new CommandError(EXIT.CONFIG, `${name} ${fault}`)
  const isPath = SECRET_NAMES.some((secret) => secret === name) || name === "backup_dir"
  return isPath && value !== "" ? resolve(value) : value
}

function settingNamed(key: string): SettingName {
  const name = SETTING_NAMES.find((one) => one === key || one === key.replaceAll("-", "_"))
  if (name !== undefined) return name
  const nearest = guess(key, SETTING_NAMES, (word) => `"${word}"`)
  throw new CommandError(EXIT.USAGE, `unknown setting "${key}"${nearest || "; bizauth config print lists them"}`)
}

function valueIn(path: string, name: SettingName): string | null {
  try {
    const value = readConfigFile(path, { mayBeMissing: true }).values[name]
    return value === undefined ? null : String(value)
  } catch (error) {
    throw asConfigRefusal(error)
  }
}

function variableNote({ environment }: Input, name: SettingName): string {
  const variable = `BIZAUTH_${name.toUpperCase()}`
  return environment[variable] === undefined ? "" : `${variable} of the environment overrides it\n`
}
