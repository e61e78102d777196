/** Refuses the declaration that a backup is the newest state unless the chain agrees. */
import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import type { RestoredState } from "../../data/backup/restore-backup.ts"
import { type Declaration, judgeNewest, type NewestVerdict } from "../../data/self-check/newest-state.ts"
import { readSqlite } from "../../store/engine/sqlite/read-sqlite.ts"
import type { Input } from "../command.ts"
import { requireNoProxy } from "../environment-variables.ts"
import { readSettings } from "../inputs.ts"

/** Unknown transfers that a refusal names. */
const NAMED_MAX = 20
/** The migration that made the table of attempts: a database without it never took a payment. */
const PAYMENTS_MIGRATION = "0005_delivery"

const NOT_COMPARED = `not compared with the chain: this database never took a payment, and no pay_to is set.
If a server sold from it after the backup, restore without --backup-is-newest.
`

/** For a restore: reads the unpacked database, and the settings with the unpacked configuration. */
export async function requireNewestState(input: Input, state: RestoredState): Promise<void> {
  const { paths, pending, environment, backupAt } = state
  if (pending.includes(PAYMENTS_MIGRATION)) return input.err(NOT_COMPARED)
  const database = readSqlite(paths.database)
  try {
    const { store } = database
    const { config } = readSettings(input, paths.directory)
    await requireNewest(
      input,
      { store, environment, config, backupAt },
      "Restore without --backup-is-newest: the service then finds these payments by itself and sells after an hour",
    )
  } finally {
    database.close()
  }
}

/**
 * `wayOut`: what to do without the declaration. Throws CommandError: 2 a proxy is set, 3 a transfer is unknown, 4 the nodes do not say, 6 the settings are
 * wrong.
 */
export async function requireNewest(input: Input, declaration: Declaration, wayOut: string): Promise<void> {
  requireNoProxy(input.environment)
  const verdict = await judgeNewest(declaration, { machine: realMachine, work: input.progress })
  switch (verdict.kind) {
    case "NOT_CONTRADICTED":
      return
    case "NO_ADDRESS":
      return input.err(NOT_COMPARED)
    case "SETTINGS_WRONG":
      throw new CommandError(EXIT.CONFIG, `${verdict.problems.join("\n")}\n${wayOut}`)
    case "NOT_ASKED":
      throw new CommandError(
        EXIT.NOT_CHECKED,
        `nobody knows whether the backup is the newest state, because the chain could not be asked: ${verdict.why}
Run it again when the nodes answer. ${wayOut}`,
      )
    case "TRANSFERS_UNKNOWN":
      throw new CommandError(EXIT.INVALID, `${transferText(verdict, declaration.backupAt)}${wayOut}`)
  }
}

function transferText({ transfers }: Extract<NewestVerdict, { kind: "TRANSFERS_UNKNOWN" }>, backupAt: string): string {
  const named = transfers.slice(0, NAMED_MAX).map(({ txHash, logIndex, payer, value, nonce, blockAt }) => {
    const kind = nonce === null ? "plain transfer" : `authorization ${nonce}`
    return `  ${blockAt}  ${txHash} log ${logIndex}  ${value} atomic units from ${payer}  ${kind}\n`
  })
  const more = transfers.length > NAMED_MAX ? `  and ${transfers.length - NAMED_MAX} more\n` : ""
  return `the backup is not the newest state: ${transfers.length} transfers arrived since ${backupAt} that this database does not know
${named.join("")}${more}`
}
