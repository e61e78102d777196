import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { parseInstant } from "../../core/time.ts"
import { TargetRefused } from "../../data/backup/restore-backup.ts"
import { type RestoredOnServer, recordServerRestore } from "../../data/backup/restored-on-server.ts"
import { dataPaths } from "../../data/data-paths.ts"
import { databasePlace } from "../../data/database-place.ts"
import { asBackupFault } from "../backup/backup-fault.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "../command.ts"
import { asDataFault } from "../data-fault.ts"
import { asConfigRefusal, asDataRefusal, databaseFile, needData } from "../inputs.ts"
import { linesText, logLine, rightsAsJson, rightsLines, VOID_LINES } from "../restored-lines.ts"
import { shellFlag } from "../rows.ts"

export const command: Command = {
  name: "database restored",
  summary:
    "record that PostgreSQL's own tools brought an earlier state of the database back; the service must be stopped",
  operands: "",
  flags: {
    ...DATA_FLAG,
    config: { help: "configuration file (or BIZAUTH_CONFIG); default DIR/bizauth.toml", value: "FILE" },
    "backup-at": {
      help: "time of that state, RFC 3339: payments since then are looked for on the chain",
      value: "TIME",
      required: true,
    },
    ...JSON_FLAG,
  },
  examples: ["database restored --backup-at 2026-11-29T03:00:00Z --data ./data"],
  async run(input) {
    const backupAt = input.need("backup-at")
    if (parseInstant(backupAt) === null) {
      throw new CommandError(EXIT.USAGE, "--backup-at must be a time such as 2026-11-29T03:00:00Z")
    }
    const paths = dataPaths(needData(input))
    const place = databasePlace(paths, databaseFile(input))
    if (place.kind === "FILE") {
      throw new CommandError(EXIT.USAGE, "the database is a file: bizauth restore FILE brings an earlier state back")
    }
    try {
      const order = { paths, url: place.url(), backupAt }
      const restored = await recordServerRestore(order, { machine: realMachine, work: input.progress })
      input.result(asJson(restored), forPeople(restored, needData(input)))
      return EXIT.DONE
    } catch (error) {
      if (error instanceof TargetRefused) throw new CommandError(EXIT.DATA, error.message)
      throw asDataFault(asConfigRefusal(asDataRefusal(asBackupFault(error))))
    }
  },
}

function asJson({
  name,
  environment,
  backupAt,
  restoredAt,
  isRepeated,
  log,
  record,
  pending,
  paused,
}: RestoredOnServer) {
  return {
    database: name,
    environment,
    backup_at: backupAt,
    restored_at: restoredAt,
    recorded_again: isRepeated,
    log: { origin: log.origin, origin_before: log.originBefore, tree_size: log.size },
    recorded_before: record && { tree_size: record.size, at: record.at },
    pending_migrations: pending,
    paused: rightsAsJson(paused),
  }
}

function forPeople(restored: RestoredOnServer, directory: string): string {
  const { name, environment, backupAt, log, record, pending, paused } = restored
  return linesText([
    ["restored", `${name} (${environment}), as it was at ${backupAt}`],
    ["log", logLine(log)],
    ...(record === null ? [] : [["", `at ${record.at} it had ${record.size} leaves, by the record in ${directory}`]]),
    ...(pending.length > 0 ? [["schema", `bizauth serve applies ${pending.join(", ")}`]] : []),
    ...(restored.isRepeated
      ? [
          [
            "again",
            `recorded at ${restored.restoredAt}, and nothing more is void; if sales were lost since, name the time of that state`,
          ],
        ]
      : VOID_LINES),
    ...rightsLines(paused),
    ["next", `bizauth config check ${shellFlag("data", directory)}, then bizauth serve`],
  ])
}
