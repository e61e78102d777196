import { migrations } from "../../db/migrations.ts"
import { COMMIT, COMPILED_FOR, RELEASE_KEY, VERSION } from "../base/build-facts.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { sqliteVersion } from "../store/engine/sqlite/sqlite-version.ts"
import { type Command, JSON_FLAG } from "./command.ts"

/** Without `--verify` it reads no file and no configuration, so that it works when everything else is broken. */
export const command: Command = {
  name: "version",
  summary: "print version, build and the formats it can read; verify the files of a release offline",
  operands: "[FILE…]",
  flags: {
    verify: { help: "check that each FILE is one that the publisher signed" },
    sums: {
      help: "sums of the release, with their signature in SUMS.minisig (default SHA256SUMS beside FILE)",
      value: "SUMS",
    },
    "release-key": { help: "public key of the publisher (default the key that this build was given)", value: "KEY" },
    ...JSON_FLAG,
  },
  examples: ["version", "version --verify ./release/bizauth-1.0.0-linux-x64.tar.gz --release-key ./release.key.pub"],
  async run(input) {
    if (input.on("verify")) {
      const { verifyFiles } = await import("./release/verify-files.ts")
      return verifyFiles(input)
    }
    if (input.operands.length > 0)
      throw new CommandError(EXIT.USAGE, "FILE is for --verify; run bizauth version --verify FILE")
    const facts = {
      version: VERSION,
      commit: COMMIT,
      target: COMPILED_FOR ?? `${process.platform}-${process.arch}`,
      bun: Bun.version,
      sqlite: sqliteVersion(),
      schema: migrations.at(-1)?.ordinal ?? 0,
      release_key: RELEASE_KEY,
    }
    if (input.on("json")) input.out(`${canonicalize({ format: 1, ...facts })}\n`)
    else
      input.out(
        `bizauth ${facts.version} (${facts.commit}, ${facts.target})\nBun ${facts.bun}, SQLite ${facts.sqlite}, schema ${facts.schema}\nrelease key ${RELEASE_KEY ?? "none: this build was given no release key"}\n`,
      )
    return EXIT.DONE
  },
}
