import { dirname, resolve } from "node:path"
import { COMPILED_FOR } from "../base/build-facts.ts"
import { type Config, SECRET_NAMES, SETTING_NAMES, type SettingName } from "../base/config.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { type Command, DATA_FLAG, type Input } from "./command.ts"
import { writeSettings, writtenValue } from "./config/set.ts"
import { CONFIG_FLAGS, configurationPath, needData, readSettings } from "./inputs.ts"
import { LOGS_FOLDER, RUNTIME_FOLDER, unitFile } from "./unit-file.ts"

/** Prints the unit and installs nothing: that needs root, and a person should read it first. */
export const command: Command = {
  name: "install-unit",
  summary:
    "write the settings that are given as flags into the configuration file, print a hardened systemd unit for this file and this data directory, and how to install it",
  operands: "",
  flags: {
    ...CONFIG_FLAGS,
    ...DATA_FLAG,
    user: { help: "user and group that run the service (default bizauth)", value: "USER" },
    credentials: {
      help: "let systemd hand over the secret files of the settings, so that only root needs to read them",
    },
  },
  examples: ["install-unit --data ./data"],
  async run(input) {
    const data = resolve(needData(input))
    const { config, file } = readSettings(input)
    const user = input.text("user") ?? "bizauth"
    if (!/^[a-z_][a-z0-9_-]{0,30}$/.test(user)) {
      throw new CommandError(
        EXIT.USAGE,
        "--user must be a lower-case letter and at most 30 letters, digits, hyphens and underscores",
      )
    }
    const others = writtenFolders(config, data)
    for (const path of [data, ...others, process.execPath]) requirePlainPath(path)
    const written = writeGivenSettings(input)
    const secrets = SECRET_NAMES.flatMap((setting) => {
      const path = config[setting]
      return path === null ? [] : [{ setting, path: resolve(path) }]
    })
    const unit = unitFile({
      program: COMPILED_FOR === null ? "/usr/local/bin/bizauth" : process.execPath,
      user,
      data,
      config: input.text("config") === undefined || file === null ? null : resolve(file),
      written: others,
      credentials: input.on("credentials") ? secrets : [],
    })
    if (input.on("json")) input.result({ unit, written }, "")
    else {
      input.out(unit)
      const note = written.length === 0 ? "" : `written into ${configurationPath(input)}: ${written.join(", ")}\n`
      input.err(`${note}to install it:
  useradd --system --user-group --home-dir ${data} --shell /usr/sbin/nologin ${user}; chown -R ${user}: ${data}
  bizauth install-unit --data ${data} > /etc/systemd/system/bizauth.service
  systemctl daemon-reload && systemctl enable --now bizauth && journalctl --unit bizauth --follow
`)
    }
    return EXIT.DONE
  },
}

/** A unit has no flags of `serve`, so what is given here goes to the file that `serve` reads. Returns the names. */
function writeGivenSettings(input: Input): readonly SettingName[] {
  const given = SETTING_NAMES.flatMap((name) => {
    const value = input.text(name.replaceAll("_", "-"))
    return value === undefined ? [] : [[name, writtenValue(name, value)] as const]
  })
  if (given.length > 0) writeSettings(configurationPath(input), Object.fromEntries(given))
  return given.map(([name]) => name)
}

/** The folders beside the data directory that the service writes, without those that the unit makes. */
function writtenFolders({ backup_dir, listen, admin_listen, access_log }: Config, data: string): readonly string[] {
  const sockets = [listen, admin_listen].flatMap((address) => (address?.kind === "unix" ? [address.path] : []))
  for (const path of sockets) requireVisible(path, RUNTIME_FOLDER)
  if (access_log !== null) requireVisible(access_log, LOGS_FOLDER)
  const files = [...sockets, ...(access_log === null ? [] : [access_log])]
  const folders = [...(backup_dir === null ? [] : [resolve(backup_dir)]), ...files.map((path) => dirname(path))]
  const made = [data, RUNTIME_FOLDER, LOGS_FOLDER]
  const isMade = (folder: string) => made.some((one) => folder === one || folder.startsWith(`${one}/`))
  return [...new Set(folders)].filter((folder) => !isMade(folder))
}

/** The unit gives the service folders of its own here, so no other program would find the file. */
function requireVisible(path: string, instead: string): void {
  const own = ["/tmp", "/var/tmp", "/home", "/root", "/run/user"].find((folder) => path.startsWith(`${folder}/`))
  if (own === undefined) return
  throw new CommandError(EXIT.USAGE, `${path} lies in ${own}, which the unit hides from the service; use ${instead}`)
}

/** A unit file splits at spaces and expands % and $. */
function requirePlainPath(path: string): void {
  if (/^[A-Za-z0-9._/+@-]*$/.test(path)) return
  throw new CommandError(
    EXIT.USAGE,
    `${path} has a character that a unit file treats apart; use letters, digits and . _ / + @ -`,
  )
}
