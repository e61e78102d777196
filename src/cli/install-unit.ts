import { dirname, resolve } from "node:path"
import { COMPILED_FOR } from "../base/build-facts.ts"
import { type Config, type ResolvedConfig, SECRET_NAMES, SETTING_NAMES, type SettingName } from "../base/config.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { type Command, DATA_FLAG, type Input } from "./command.ts"
import { writeSettings, writtenValue } from "./config/set.ts"
import { CONFIG_FLAGS, configurationPath, needData, readSettings } from "./inputs.ts"
import { shellFlag } from "./rows.ts"
import { LOGS_FOLDER, RUNTIME_FOLDER, unitFile } from "./unit-file.ts"

/** Prints the unit and installs nothing: that needs root, and a person should read it first. */
export const command: Command = {
  name: "install-unit",
  summary:
    "write the settings that are given as flags or variables into the configuration file, print a hardened systemd unit for this file and this data directory, and how to install it",
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
    const settings = readSettings(input)
    const { config, file } = settings
    const user = input.text("user") ?? "bizauth"
    if (!/^[a-z_][a-z0-9_-]{0,30}$/.test(user)) {
      throw new CommandError(
        EXIT.USAGE,
        "--user must be a lower-case letter and at most 30 letters, digits, hyphens and underscores",
      )
    }
    const others = writtenFolders(config, data)
    const named = input.text("config") ?? input.environment["BIZAUTH_CONFIG"]
    const unitConfig = named === undefined || file === null ? null : resolve(file)
    const program = COMPILED_FOR === null ? "/usr/local/bin/bizauth" : process.execPath
    const secrets = SECRET_NAMES.flatMap((setting) => {
      const path = config[setting]
      return path === null ? [] : [{ setting, path: resolve(path) }]
    })
    const secretPaths = secrets.map(({ path }) => path)
    // systemd itself reads the secret files that it hands over, and the unit names them.
    const [credentials, paths, readPaths] = input.on("credentials") ? [secrets, secretPaths, []] : [[], [], secretPaths]
    const used = [program, data, ...(unitConfig === null ? [] : [unitConfig]), ...others]
    for (const path of [...used, ...paths]) requirePlainPath(path)
    const written = writeGivenSettings(input, settings)
    const unit = unitFile({ program, user, data, config: unitConfig, written: others, credentials })
    const notes = hiddenNotes([...used, ...readPaths])
    if (input.on("json")) input.result({ unit, written, notes }, "")
    else {
      input.out(unit)
      const note = written.length === 0 ? "" : `written into ${configurationPath(input)}: ${written.join(", ")}\n`
      input.err(`${note}${notes.map((one) => `note: ${one}\n`).join("")}to install it:
  useradd --system --user-group --home-dir ${data} --shell /usr/sbin/nologin ${user}; chown -R ${user}: ${data}
  bizauth install-unit ${placesAgain(input, data, unitConfig)} > /etc/systemd/system/bizauth.service
  systemctl daemon-reload && systemctl enable --now bizauth && journalctl --unit bizauth --follow
`)
    }
    return EXIT.DONE
  },
}

/** The flags that print the same unit again. The settings are in the file by then. */
function placesAgain(input: Input, data: string, config: string | null): string {
  const user = input.text("user")
  return [
    shellFlag("data", data),
    ...(config === null ? [] : [shellFlag("config", config)]),
    ...(user === undefined ? [] : [shellFlag("user", user)]),
    ...(input.on("credentials") ? ["--credentials"] : []),
  ].join(" ")
}

/** A unit has no flags of `serve` and no variables of this shell, so what they say goes to the file that `serve` reads. Returns the names. */
function writeGivenSettings(input: Input, { origins, texts }: ResolvedConfig): readonly SettingName[] {
  const given = SETTING_NAMES.filter((name) => origins[name] === "flag" || origins[name] === "environment").map(
    (name) => [name, writtenValue(name, texts[name])] as const,
  )
  if (given.length > 0) writeSettings(configurationPath(input), Object.fromEntries(given))
  return given.map(([name]) => name)
}

/** The folders beside the data directory that the service writes, without those that the unit makes. */
function writtenFolders(config: Config, data: string): readonly string[] {
  const { backup_dir, listen, admin_listen, mail_in_socket, access_log } = config
  const addresses = [listen, admin_listen].flatMap((address) => (address?.kind === "unix" ? [address.path] : []))
  const sockets = [...addresses, ...(mail_in_socket === null ? [] : [mail_in_socket])]
  for (const path of sockets) requireVisible(path, RUNTIME_FOLDER)
  if (access_log !== null) requireVisible(access_log, LOGS_FOLDER)
  const files = [...sockets, ...(access_log === null ? [] : [access_log])]
  const folders = [...(backup_dir === null ? [] : [resolve(backup_dir)]), ...files.map((path) => dirname(path))]
  const made = [data, RUNTIME_FOLDER, LOGS_FOLDER]
  const isMade = (folder: string) => made.some((one) => folder === one || folder.startsWith(`${one}/`))
  return [...new Set(folders)].filter((folder) => !isMade(folder))
}

/** Folders of which the unit gives the service its own, or none. */
const HIDDEN = ["/tmp", "/var/tmp", "/home", "/root", "/run/user"]

function hiddenFolder(path: string): string | undefined {
  return HIDDEN.find((folder) => path === folder || path.startsWith(`${folder}/`))
}

/** No other program would find the file. */
function requireVisible(path: string, instead: string): void {
  const own = hiddenFolder(path)
  if (own === undefined) return
  throw new CommandError(EXIT.USAGE, `${path} lies in ${own}, which the unit hides from the service; use ${instead}`)
}

/** What the service would not find. It can be moved before the unit is installed, so this is no refusal. */
function hiddenNotes(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].flatMap((path) => {
    const folder = hiddenFolder(path)
    return folder === undefined
      ? []
      : [`${path} lies in ${folder}, which the unit hides from the service: move it, and print the unit again`]
  })
}

/** A unit file splits at spaces and expands % and $. */
function requirePlainPath(path: string): void {
  if (/^[A-Za-z0-9._/+@-]*$/.test(path)) return
  throw new CommandError(
    EXIT.USAGE,
    `${path} has a character that a unit file treats apart; use letters, digits and . _ / + @ -`,
  )
}
