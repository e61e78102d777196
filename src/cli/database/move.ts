import { resolve } from "node:path"
import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { dataPaths } from "../../data/data-paths.ts"
import { moveDatabase } from "../../data/database-move/move-database.ts"
import type { MoveOrder } from "../../data/database-move/move-places.ts"
import { UnmovableText } from "../../store/engine/tables.ts"
import { type Command, DATA_FLAG, type Input, JSON_FLAG } from "../command.ts"
import { asDataFault } from "../data-fault.ts"
import { asConfigRefusal, asDataRefusal, databaseFile, needData } from "../inputs.ts"
import { shellFlag } from "../rows.ts"

export const command: Command = {
  name: "database move",
  summary: "move the database to a PostgreSQL server, or back into the data directory; the service must be stopped",
  operands: "",
  flags: {
    ...DATA_FLAG,
    config: {
      help: "configuration file (or BIZAUTH_CONFIG), which gets the new place; default DIR/bizauth.toml",
      value: "FILE",
    },
    to: { help: "file with the URL of an empty PostgreSQL database, as for init --database-file", value: "FILE" },
    "to-directory": { help: "back from the server into DIR/bizauth.db" },
    ...JSON_FLAG,
  },
  examples: ["database move --to ./database.url --data ./data", "database move --to-directory --data ./data"],
  async run(input) {
    const order = orderOf(input)
    const { report, wasInterrupted } = await moveDatabase(order, { machine: realMachine, work: input.progress }).catch(
      (error: unknown) => {
        if (error instanceof UnmovableText) throw new CommandError(EXIT.INVALID, `${error.message}; nothing was moved`)
        throw asDataFault(asConfigRefusal(asDataRefusal(error)))
      },
    )
    const { id, moved_at, from, to, schema, kept, tables } = report
    const rows = tables.reduce((total, one) => total + one.rows, 0)
    input.result(
      { id, moved_at, from, to, schema, kept, went_on: wasInterrupted, tables },
      `moved    ${from}
to       ${to}, at ${moved_at}${wasInterrupted ? "; the move was interrupted, and now it is done" : ""}
equal    ${tables.length} tables with ${rows} rows, by count and SHA-256; bizauth database verify compares again
kept     ${kept ?? from}; bizauth serve does not start on it any more
next     bizauth config check ${shellFlag("data", needData(input))}, then bizauth serve
`,
    )
    return EXIT.DONE
  },
}

function orderOf(input: Input): MoveOrder {
  const file = input.text("to")
  if ((file === undefined) !== input.on("to-directory")) {
    throw new CommandError(EXIT.USAGE, "name one place: --to FILE with the URL of a server, or --to-directory")
  }
  if (input.environment["BIZAUTH_DATABASE_FILE"] !== undefined) {
    throw new CommandError(
      EXIT.USAGE,
      "BIZAUTH_DATABASE_FILE names the place of the database, and a move could not change it: unset it, and write database_file into the configuration file",
    )
  }
  const paths = dataPaths(needData(input))
  const from = databaseFile(input)
  const configuration = input.text("config") ?? input.environment["BIZAUTH_CONFIG"] ?? paths.configuration
  if (file !== undefined && from !== null && resolve(from) !== resolve(file)) {
    throw new CommandError(EXIT.USAGE, "the database is on a server already: PostgreSQL's own tools move it to another")
  }
  if (file !== undefined && from !== null) {
    throw new CommandError(EXIT.USAGE, `the database is there already: database_file names ${file}`)
  }
  if (file === undefined && from === null) {
    throw new CommandError(EXIT.USAGE, `the database is in ${paths.directory} already`)
  }
  return { paths, from, to: file === undefined ? null : resolve(file), configuration }
}
