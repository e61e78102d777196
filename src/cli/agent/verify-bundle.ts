import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { verifyBundle } from "../../offline/kinds/identity/verify-bundle.ts"
import { bundleOptions } from "../../offline/module/program.ts"
import { OptionError } from "../../offline/steps/options.ts"
import { EXIT_OF } from "../../offline/words/exit-codes.ts"
import { printConclusion } from "../../offline/words/print-conclusion.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { readDocumentBytes } from "../documents/read-document.ts"

/** Offline: no import of this file can use a network, and no data directory is opened. */
export const command: Command = {
  name: "agent verify-bundle",
  summary: "verify an identity's export bundle offline (4 without --log-key: consistent, but its origin is not proven)",
  operands: "FILE",
  flags: {
    "log-key": { help: "verifier key of the log, obtained separately from the bundle", value: "VKEY" },
    at: { help: "judge at this RFC 3339 time instead of now", value: "TIME" },
    "max-age": { help: "exit 3 when the bundle's status is older", value: "SECONDS" },
    since: {
      help: "an earlier checkpoint or bundle: exit 3 when this bundle is older, or has another tree or history",
      value: "FILE",
    },
    head: { help: "exit 3 unless the event with this digest is in the bundle", value: "DIGEST" },
    "min-sequence": { help: "exit 3 when the bundle ends before this sequence", value: "N" },
    receipt: {
      help: "event receipt or prove result the agent kept: exit 3 unless its event is in the bundle",
      value: "FILE",
    },
    "require-active": { help: "exit 3 unless an operational key is ACTIVE" },
    reformatted: { help: "accept bytes that are not canonical, such as a pretty-printed copy" },
    ...JSON_FLAG,
  },
  examples: [
    'agent verify-bundle ./identity.json --log-key "$(bizauth keys export --use log --data ./data)"',
    { line: "agent verify-bundle ./identity.json", exit: EXIT.NOT_CHECKED },
  ],
  run: runVerifyBundle,
}

async function runVerifyBundle(input: Input): Promise<ExitCode> {
  const [path = "-"] = input.operands
  const bundle = await readDocumentBytes(path)
  try {
    const flags = { value: (name: string) => input.text(name), isOn: (name: string) => input.on(name) }
    const conclusion = await verifyBundle(bundle, await bundleOptions({ ...flags, read: readDocumentBytes }))
    input.out(input.on("json") ? `${JSON.stringify(conclusion)}\n` : printConclusion(conclusion))
    return EXIT_OF[conclusion.result]
  } catch (error) {
    if (!(error instanceof OptionError)) throw error
    throw new CommandError(EXIT.USAGE, `--${kebab(error.option)} ${error.message}`)
  }
}

const kebab = (option: string) => option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
