import { existsSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { asWriteRefusal } from "../../base/system-fault.ts"
import { backupPlan } from "../../data/backup/backup-plan.ts"
import type { Checked } from "../../data/backup/read-backup.ts"
import { backUpIntoFolder, requireFreeSpace } from "../../data/backup/scheduled-backup.ts"
import { keyFilesOf, readPassphrase } from "../../data/backup/sealed-keys.ts"
import { makeBackup } from "../../data/backup/write-backup.ts"
import { type DataPaths, dataPaths } from "../../data/data-paths.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { asConfigRefusal, CONFIG_FLAGS, needData, openData, readSettings, requireDatabaseInFile } from "../inputs.ts"
import { asBackupFault } from "./backup-fault.ts"

export const command: Command = {
  name: "backup",
  summary: "copy database, configuration and public keys into one checked file, while the service runs",
  operands: "[FILE]",
  flags: {
    ...CONFIG_FLAGS,
    "include-lists": { help: "add the imported lists and registers" },
    "include-keys": { help: "add the private keys but not the recovery keys, encrypted with a passphrase" },
    "passphrase-file": {
      help: "file with the passphrase (mode 0600), at least 16 characters",
      value: "FILE",
      required: "with --include-keys",
    },
    "if-due": { help: "without FILE: only when the newest backup of backup_dir is older than backup_every" },
    ...JSON_FLAG,
  },
  examples: [
    "backup ./backup.tar.zst --data ./data",
    "backup ./with-keys.tar.zst --data ./data --include-keys --passphrase-file ./passphrase",
  ],
  async run(input) {
    const [file] = input.operands
    const paths = dataPaths(needData(input))
    requireDatabaseInFile(input, `PostgreSQL's own backup copies it; keep ${paths.keys} and ${paths.configuration} too`)
    // Opening applies every rule for a usable directory, such as its schema and its key files.
    const { store } = await openData(input, { inspect: true, databaseFile: null })
    await store.close()
    try {
      return file === undefined ? await intoFolder(input, paths) : await intoFile(input, paths, resolve(file))
    } catch (error) {
      throw asBackupFault(error)
    }
  },
}

async function intoFile(input: Input, paths: DataPaths, file: string): Promise<ExitCode> {
  if (input.on("if-due")) throw new CommandError(EXIT.USAGE, "--if-due goes without FILE")
  if (existsSync(file)) throw new CommandError(EXIT.USAGE, `${file} exists; name a new file`)
  if (!existsSync(dirname(file))) throw new CommandError(EXIT.USAGE, `the folder ${dirname(file)} does not exist`)
  const passphrase = passphraseOf(input)
  const includesLists = input.on("include-lists")
  requireFreeSpace(dirname(file), { paths, includesLists })
  const begunAt = realMachine.monotonic()
  const order = { paths, file, includesLists, passphrase }
  const checked = await makeBackup(order, { machine: realMachine, work: input.progress }).catch((error: unknown) => {
    throw isBeside(file, error) ? asWriteRefusal(`the backup ${file}`, error) : error
  })
  report(input, paths, { file, checked, seconds: (realMachine.monotonic() - begunAt) / 1000, removed: [] })
  return EXIT.DONE
}

async function intoFolder(input: Input, paths: DataPaths): Promise<ExitCode> {
  if (input.on("include-keys") || input.on("include-lists")) {
    throw new CommandError(
      EXIT.USAGE,
      "--include-keys and --include-lists need FILE; backup_lists adds lists to backup_dir",
    )
  }
  const plan = planOf(input)
  if (plan === null) throw new CommandError(EXIT.USAGE, "name a new FILE, or set backup_dir")
  const begunAt = realMachine.monotonic()
  const result = await backUpIntoFolder(paths, plan, realMachine, {
    isForced: !input.on("if-due"),
    work: input.progress,
  })
  if (result.outcome !== "MADE") {
    const isDue = result.outcome === "BEING_MADE"
    const why = isDue ? `another process makes a backup into ${plan.folder} now` : `no backup is due in ${plan.folder}`
    input.result({ made: false }, `${why}\n`)
    return EXIT.DONE
  }
  report(input, paths, { ...result, seconds: (realMachine.monotonic() - begunAt) / 1000 })
  return EXIT.DONE
}

function planOf(input: Input) {
  try {
    return backupPlan(readSettings(input).config)
  } catch (error) {
    throw asConfigRefusal(error)
  }
}

function passphraseOf(input: Input): string | null {
  if (!input.on("include-keys")) {
    if (input.text("passphrase-file") === undefined) return null
    throw new CommandError(EXIT.USAGE, "--passphrase-file goes with --include-keys")
  }
  return readPassphrase(input.need("passphrase-file"))
}

interface Made {
  readonly file: string
  readonly checked: Checked
  readonly seconds: number
  /** Older backups that were removed. */
  readonly removed: readonly string[]
}

function report(input: Input, paths: DataPaths, { file, checked, seconds, removed }: Made): void {
  const { manifest, manifestDigest } = checked
  const { size } = statSync(file)
  const names = manifest.members.map(({ name }) => name)
  const missing = names.includes("keys.age") ? [] : keyFilesOf(paths.keys)
  const keys =
    missing.length === 0
      ? "recovery keys are not in it: keep them offline\n"
      : `the private keys are not in it: keep ${paths.keys} in another safe place\n`
  input.result(
    { made: true, file, bytes: size, manifest_digest: manifestDigest, manifest, keys_missing: missing, removed },
    `made     ${file}
         ${size} bytes, ${names.length} members, ${seconds.toFixed(1)} s; every byte was read again and compared
manifest ${manifestDigest}
         keep this digest apart from the file: restore --expect notices an edited backup with it
log      ${manifest.log.origin ?? "without a name"}, ${manifest.log.tree_size} leaves
keys     ${keys}${removed.map((old) => `removed  ${old}\n`).join("")}`,
  )
}

/** Whether the operating system refused a temporary file of the backup `file`. */
function isBeside(file: string, error: unknown): boolean {
  return error instanceof Error && "path" in error && String(error.path).startsWith(`${file}.partial-`)
}
