import { migrations } from "../../db/migrations.ts"
import { COMMIT, COMPILED_FOR, VERSION } from "../base/build-facts.ts"
import { EXIT } from "../base/exit.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { sqliteVersion } from "../store/engine/sqlite/sqlite-version.ts"
import { type Command, JSON_FLAG } from "./command.ts"

/** Reads no file and no configuration, so that it works when everything else is broken. */
export const command: Command = {
  name: "version",
  summary: "print version, build and the formats it can read",
  operands: "",
  flags: JSON_FLAG,
  examples: ["version"],
  async run(input) {
    const facts = {
      version: VERSION,
      commit: COMMIT,
      target: COMPILED_FOR ?? `${process.platform}-${process.arch}`,
      bun: Bun.version,
      sqlite: sqliteVersion(),
      schema: migrations.at(-1)?.ordinal ?? 0,
    }
    if (input.on("json")) input.out(`${canonicalize({ format: 1, ...facts })}\n`)
    else
      input.out(
        `bizauth ${facts.version} (${facts.commit}, ${facts.target})\nBun ${facts.bun}, SQLite ${facts.sqlite}, schema ${facts.schema}\n`,
      )
    return EXIT.DONE
  },
}
