import { existsSync } from "node:fs"
import { CommandError, EXIT, type ExitCode } from "../base/exit.ts"
import { realMachine } from "../base/machine.ts"
import { formatInstant, instant } from "../core/time.ts"
import { openBackup } from "../data/backup/read-backup.ts"
import { type Restored, type RestoredState, restoreBackup, TargetRefused } from "../data/backup/restore-backup.ts"
import { type Downgraded, restoreBeforeUpgrade } from "../data/backup/restore-before-upgrade.ts"
import { readPassphrase } from "../data/backup/sealed-keys.ts"
import type { Environment } from "../data/data-directory.ts"
import { dataPaths } from "../data/data-paths.ts"
import { readSqlite } from "../store/engine/sqlite/read-sqlite.ts"
import type { Store } from "../store/engine/unit.ts"
import { type PausedRights, pausedRights } from "../store/paused-rights.ts"
import { declareBackupNewest, restores } from "../store/restores.ts"
import { asBackupFault } from "./backup/backup-fault.ts"
import { requireNewest, requireNewestState } from "./backup/newest-check.ts"
import { type Command, type Input, JSON_FLAG } from "./command.ts"
import { readConfigFile } from "./config/config-file.ts"
import { CONFIG_FLAGS, needData, openData, readSettings, requireDatabaseInFile } from "./inputs.ts"
import { linesText, logLine, rightsAsJson, rightsLines, VOID_LINES } from "./restored-lines.ts"

export const command: Command = {
  name: "restore",
  summary: "make a data directory from a backup; or put back the database from before an upgrade",
  operands: "[FILE]",
  flags: {
    ...CONFIG_FLAGS,
    expect: { help: "digest of the manifest, as backup printed it: notices an edited backup", value: "DIGEST" },
    "passphrase-file": {
      help: "file with the passphrase of the private keys in the backup (mode 0600)",
      value: "FILE",
    },
    "backup-is-newest": {
      help: "nothing happened after the backup, so nothing is void; refused if the chain shows a payment since then; without FILE: declare it after a restore",
    },
    "before-upgrade": { help: "without FILE: put back bizauth.db.before-NNNN; the service must be stopped" },
    ...JSON_FLAG,
  },
  examples: ["restore ./with-keys.tar.zst --data ./restored --passphrase-file ./passphrase"],
  async run(input) {
    const [file] = input.operands
    const isNewest = input.on("backup-is-newest")
    const isDowngrade = input.on("before-upgrade")
    if ([file !== undefined, isDowngrade].every(Boolean) || (isDowngrade && isNewest)) {
      throw new CommandError(EXIT.USAGE, "--before-upgrade goes without FILE and without --backup-is-newest")
    }
    try {
      if (file !== undefined) return await fromFile(input, file, isNewest)
      if (isNewest) return await declare(input)
      requireDatabaseInFile(
        input,
        "PostgreSQL's own backup brings an earlier state back, and bizauth database restored records it",
      )
      if (isDowngrade) return await beforeUpgrade(input)
    } catch (error) {
      if (error instanceof TargetRefused) throw new CommandError(EXIT.DATA, error.message)
      throw asBackupFault(error)
    }
    throw new CommandError(EXIT.USAGE, "name the backup FILE, or give --before-upgrade or --backup-is-newest")
  },
}

async function fromFile(input: Input, file: string, isNewest: boolean): Promise<ExitCode> {
  const passphraseFile = input.text("passphrase-file")
  const passphrase = passphraseFile === undefined ? null : readPassphrase(passphraseFile)
  await openBackup(file)
  const requireNewest = isNewest ? (state: RestoredState) => requireNewestState(input, state) : null
  const order = { file, directory: needData(input), requireNewest, passphrase, expect: input.text("expect") }
  const restored = await restoreBackup(order, { machine: realMachine, work: input.progress })
  const paused = await pausedIn(restored)
  const lostFiles = missingPaths(restored)
  input.result(asJson(restored, isNewest, lostFiles, paused), forPeople(restored, isNewest, lostFiles, paused))
  return restored.keysMissing.length > 0 ? EXIT.PROBLEMS : EXIT.DONE
}

/** Null when nothing is paused, and while migrations are pending: then `check` says it after the first start. */
async function pausedIn({ paths, pending }: Restored): Promise<PausedRights | null> {
  if (pending.length > 0) return null
  const database = readSqlite(paths.database)
  try {
    return await database.store.read(() => pausedRights(formatInstant(realMachine.now())))
  } finally {
    database.close()
  }
}

/** Settings of the restored configuration that name a file or folder which this machine does not have. */
function missingPaths({ paths, hasConfiguration }: Restored): readonly string[] {
  if (!hasConfiguration) return []
  return Object.entries(readConfigFile(paths.configuration).values)
    .filter(
      ([name, value]) => /_(file|dir)$/.test(name) && typeof value === "string" && value !== "" && !existsSync(value),
    )
    .map(([name, value]) => `${name} = ${value}`)
}

function asJson(restored: Restored, isNewest: boolean, lostFiles: readonly string[], paused: PausedRights | null) {
  const { manifest, manifestDigest, paths, log, pending, keysMissing, restoredAt, listFiles } = restored
  return {
    directory: paths.directory,
    environment: manifest.environment,
    backup_at: manifest.created_at,
    restored_at: restoredAt,
    manifest_digest: manifestDigest,
    log: { origin: log.origin, origin_before: log.originBefore, tree_size: log.size },
    pending_migrations: pending,
    list_files: listFiles,
    keys_missing: keysMissing,
    paths_missing: lostFiles,
    backup_is_newest: isNewest,
    paused: rightsAsJson(paused),
  }
}

function forPeople(
  restored: Restored,
  isNewest: boolean,
  lostFiles: readonly string[],
  paused: PausedRights | null,
): string {
  const { manifest, manifestDigest, paths, log, pending, keysMissing, listFiles } = restored
  const lines = [
    ["restored", `${paths.directory} (${manifest.environment}), as it was at ${manifest.created_at}`],
    ["manifest", manifestDigest],
    ["log", logLine(log)],
    ["lists", listFiles > 0 ? `${listFiles} files` : "not in the backup: bizauth sources import, or sources fetch"],
    ...(pending.length > 0 ? [["schema", `bizauth serve applies ${pending.join(", ")}`]] : []),
    ...keysMissing.map((path) => ["missing", `${path}: put this key file back`]),
    ...lostFiles.map((setting) => ["missing", `${setting}: put the file there, or change the setting`]),
    ...(isNewest ? [] : VOID_LINES),
    ...rightsLines(paused),
    ["never", "start the old server again: two servers over two copies sell the same thing twice"],
    [
      "next",
      keysMissing.length > 0
        ? "put back the key files, then bizauth config check"
        : "bizauth config check, then bizauth serve",
    ],
  ]
  return linesText(lines)
}

async function beforeUpgrade(input: Input): Promise<ExitCode> {
  const done = await restoreBeforeUpgrade(dataPaths(needData(input)), {
    machine: realMachine,
    work: input.progress,
  })
  input.result(
    {
      copy: done.copy,
      newer: done.newer,
      migration: done.migration,
      upgraded_at: done.upgradedAt,
      log: { origin: done.log.origin, origin_before: done.log.originBefore, tree_size: done.log.size },
    },
    downgradeForPeople(done),
  )
  return EXIT.DONE
}

function downgradeForPeople({ copy, newer, migration, upgradedAt, log }: Downgraded): string {
  return `restored ${copy}, the database before ${migration} (${upgradedAt})
kept     ${newer}, with everything that happened since
log      ${log.origin ?? "without a name"}, ${log.size} leaves; was ${log.originBefore ?? "without a name"}
void     tokens, delegations, mandates and challenges from before now; what happened since the upgrade is unknown
next     install the release from before the upgrade, then bizauth config check. This release would apply ${migration} again.
         A release that does not know restores does not enforce what is void: keep it from selling, or restore a backup instead
`
}

async function declare(input: Input): Promise<ExitCode> {
  const { store, environment } = await openData(input)
  const at = formatInstant(realMachine.now())
  const count = await declareNewest(input, store, environment, at).finally(() => store.close())
  input.result(
    { declared: count, at },
    `declared at ${at}: nothing happened after the backup (${count} restore${count === 1 ? "" : "s"})
         what was void counts again, and selling may start; the log keeps its present name
`,
  )
  return EXIT.DONE
}

/** Returns how many restores the declaration covers. */
async function declareNewest(input: Input, store: Store, environment: Environment, at: string): Promise<number> {
  const open = (await store.read(restores)).filter((one) => one.newest_declared_at === null)
  const [oldest] = open
  if (!oldest) throw new CommandError(EXIT.NOT_FOUND, "this database has no restore without that declaration")
  const backupAt = open.reduce(
    (first, one) => (instant(one.backup_at) < instant(first) ? one.backup_at : first),
    oldest.backup_at,
  )
  await requireNewest(
    input,
    { store, environment, config: readSettings(input).config, backupAt },
    "Leave the restore as it is: the service finds these payments by itself and sells after an hour",
  )
  return store.run(() => declareBackupNewest(at))
}
