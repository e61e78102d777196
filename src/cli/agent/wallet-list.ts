import {
  getProofWalletInventory,
  PAGE_ENTRIES_MAX,
  type ProofWalletInventory,
  type WalletEntryView,
} from "../../../schemas/agent-mode/proof-wallet.ts"
import { readKeyFile } from "../../agent/key-file.ts"
import { type Send, sendOverNetwork, serverOrigin } from "../../agent/service-call.ts"
import { signedAnswerOf, signingAgent } from "../../agent/signed-call.ts"
import { EXIT, type ExitCode } from "../../base/exit.ts"
import { type Machine, realMachine } from "../../base/machine.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { purchaseNote } from "./purchase-note.ts"

const required = true

export const command: Command = {
  name: "agent wallet list",
  summary: "list the agent's own wallet entries at the service, and which may be reused",
  operands: "",
  flags: {
    keys: { help: "key file of agent keygen, enrolled", value: "FILE", required },
    server: { help: "origin of the service", value: "URL", required },
    sandbox: { help: "the sandbox wallet instead of the live one" },
    ...JSON_FLAG,
  },
  examples: ["agent wallet list --keys ./agent.json --server http://127.0.0.1:8402"],
  run: (input) => runWalletList(input, sendOverNetwork, realMachine),
}

export async function runWalletList(input: Input, send: Send, machine: Machine): Promise<ExitCode> {
  const server = serverOrigin(input.need("server"))
  const agent = signingAgent(readKeyFile(input.need("keys")))
  const environment = input.on("sandbox") ? "SANDBOX" : "LIVE"
  const entries: WalletEntryView[] = []
  const limitations = new Set<string>()
  let cursor: string | null = null
  do {
    const page: ProofWalletInventory = await signedAnswerOf<ProofWalletInventory>(
      { agent, server, send, machine },
      getProofWalletInventory,
      {
        schema_version: "1.0.0",
        contract_version: "1.0.0",
        environment,
        filter: { artifact_types: [], validity: "ANY", issuer: null },
        page: { limit: PAGE_ENTRIES_MAX, cursor },
      },
    )
    entries.push(...page.entries)
    for (const limitation of page.limitations) limitations.add(limitation)
    cursor = page.next_cursor
  } while (cursor !== null)
  const stated = [...limitations]
  if (input.on("json")) {
    input.out(`${JSON.stringify({ version: 1, environment, entries, limitations: stated })}\n`)
  } else {
    input.out(entries.length === 0 ? "no entries\n" : entries.map(line).join("") + purchaseNote(stated))
  }
  return EXIT.DONE
}

function line(entry: WalletEntryView): string {
  const why = entry.reuse_reason === null ? "" : ` (${entry.reuse_reason})`
  const end = entry.valid_until === null ? "no end" : `valid until ${entry.valid_until}`
  return `${entry.wallet_entry_id}  ${entry.artifact_type.padEnd(21)}  ${entry.reuse_state}${why}, ${end}, kept until ${entry.retained_until}\n`
}
