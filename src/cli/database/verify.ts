import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { dataPaths } from "../../data/data-paths.ts"
import { type MoveReport, readReport, reportPath } from "../../data/database-move/move-report.ts"
import { type VerifiedDatabase, verifyDatabase } from "../../data/database-move/verify-database.ts"
import { databasePlace } from "../../data/database-place.ts"
import { UnmovableText } from "../../store/engine/tables.ts"
import { type Command, DATA_FLAG, type Input, JSON_FLAG } from "../command.ts"
import { asDataFault } from "../data-fault.ts"
import { asConfigRefusal, asDataRefusal, databaseFile, needData } from "../inputs.ts"
import { inColumns } from "../rows.ts"

export const command: Command = {
  name: "database verify",
  summary: "count and SHA-256 of every table, compared with what the last move of the database stored",
  operands: "",
  flags: {
    ...DATA_FLAG,
    config: { help: "configuration file (or BIZAUTH_CONFIG); default DIR/bizauth.toml", value: "FILE" },
    against: {
      help: "report of a move to compare with; default DIR/database-move.json, if it is there",
      value: "FILE",
    },
    "require-equal": { help: "for right after a move: exit 3 unless every table is equal" },
    ...JSON_FLAG,
  },
  examples: ["database verify --data ./data", "database verify --require-equal --data ./data"],
  async run(input) {
    const paths = dataPaths(needData(input))
    const report = reportOf(input, paths.directory)
    const verified = await verifyDatabase(databasePlace(paths, databaseFile(input)), report, input.progress).catch(
      (error: unknown) => {
        if (error instanceof UnmovableText) throw new CommandError(EXIT.INVALID, error.message)
        throw asDataFault(asConfigRefusal(asDataRefusal(error)))
      },
    )
    input.result(
      {
        database: verified.name,
        schema: verified.schema,
        compared_with: report && { id: report.id, moved_at: report.moved_at, schema: report.schema },
        tables: verified.tables,
      },
      forPeople(verified, report),
    )
    return exitOf(verified, report, input.on("require-equal"))
  },
}

function reportOf(input: Input, directory: string): MoveReport | null {
  const named = input.text("against")
  try {
    const report = readReport(named ?? reportPath(directory))
    if (report === null && named !== undefined) throw new CommandError(EXIT.NOT_FOUND, `${named} does not exist`)
    return report
  } catch (error) {
    throw asDataRefusal(error)
  }
}

/** `mustEqual`: what cannot be compared is not equal either. */
function exitOf({ tables, isComparable }: VerifiedDatabase, report: MoveReport | null, mustEqual: boolean): ExitCode {
  if (tables.some(({ verdict }) => verdict === "DIFFERENT")) return EXIT.INVALID
  if (!isComparable) return report !== null || mustEqual ? EXIT.NOT_CHECKED : EXIT.DONE
  return mustEqual && tables.some(({ verdict }) => verdict !== "EQUAL") ? EXIT.INVALID : EXIT.DONE
}

function forPeople({ name, schema, tables, isComparable }: VerifiedDatabase, report: MoveReport | null): string {
  const lines = inColumns(
    tables.map(({ table, rows, sha256, verdict }) => [
      `${table} ${rows}`,
      verdict === "NOT_COMPARED" ? sha256 : `${sha256} ${verdict}`,
    ]),
  )
  return `${lines.join("\n")}\n\ndatabase ${name}, schema ${schema}\n${summary(tables, isComparable, report)}`
}

function summary(tables: VerifiedDatabase["tables"], isComparable: boolean, report: MoveReport | null): string {
  if (report === null) return "compared with nothing: no report of a move\n"
  const move = `the move of ${report.moved_at}`
  if (!isComparable) return `not compared with ${move}: it has the schema ${report.schema}\n`
  const count = (verdict: string) => tables.filter((one) => one.verdict === verdict).length
  if (count("EQUAL") === tables.length) return `equal to ${move}: every table\n`
  return `compared with ${move}: ${count("EQUAL")} tables are equal; ${count("GROWN")} have the same rows and new ones; ${count("CHANGED")} changed since, as the service changes them, and cannot be compared; ${count("DIFFERENT")} are different although their rows never change\n`
}
