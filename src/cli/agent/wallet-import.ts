import {
  type ImportedProofWalletArtifact,
  importProofWalletArtifact,
} from "../../../schemas/agent-mode/proof-wallet.ts"
import { readKeyFile } from "../../agent/key-file.ts"
import { type Send, sendOverNetwork, serverOrigin } from "../../agent/service-call.ts"
import { signedAnswerOf, signingAgent } from "../../agent/signed-call.ts"
import { walletArtifactIn } from "../../agent/wallet-artifact.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { type Machine, realMachine } from "../../base/machine.ts"
import { encodeBase64url } from "../../core/base64url.ts"
import { formatInstant, parseInstant } from "../../core/time.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { readDocumentJson } from "../documents/read-document.ts"
import { purchaseNote } from "./purchase-note.ts"

const required = true

export const command: Command = {
  name: "agent wallet import",
  summary: "keep a proof in the agent's own wallet at the service, or end its entry",
  operands: "FILE",
  flags: {
    keys: { help: "key file of agent keygen, enrolled", value: "FILE", required },
    server: { help: "origin of the service", value: "URL", required },
    keep: { help: "digest, or document to keep the signed document too", value: "digest|document", required },
    until: {
      help: "RFC 3339 time at which the entry ends, at most 400 days ahead; now deletes it",
      value: "T",
      required,
    },
    key: { help: "idempotency key of an earlier try; default a new one", value: "TEXT" },
    ...JSON_FLAG,
  },
  examples: [
    `agent wallet import ./delivery.json --keys ./agent.json --server http://127.0.0.1:8402 --keep digest --until "$(date -u -d '+90 days' +%FT00:00:00Z)"`,
  ],
  run: (input) => runWalletImport(input, sendOverNetwork, realMachine),
}

const MODES = { digest: "DIGEST_ONLY", document: "SIGNED_DOCUMENT" } as const

export async function runWalletImport(input: Input, send: Send, machine: Machine): Promise<ExitCode> {
  const server = serverOrigin(input.need("server"))
  const agent = signingAgent(readKeyFile(input.need("keys")))
  const keep = input.need("keep")
  if (keep !== "digest" && keep !== "document") throw new CommandError(EXIT.USAGE, "--keep is digest or document")
  const [file = ""] = input.operands
  const found = walletArtifactIn(await readDocumentJson(file))
  if (!found) throw new CommandError(EXIT.NOT_CHECKED, `${file} holds no artifact that a wallet takes`)
  const { environment, ...artifact } = found
  const answer = await signedAnswerOf<ImportedProofWalletArtifact>(
    { agent, server, send, machine },
    importProofWalletArtifact,
    {
      schema_version: "1.0.0",
      contract_version: "1.0.0",
      environment,
      idempotency_key: input.text("key") ?? `wallet-${encodeBase64url(machine.random(16))}`,
      artifact,
      retention: { mode: MODES[keep], until: untilOf(input.need("until"), machine) },
    },
  )
  input.out(input.on("json") ? `${JSON.stringify({ version: 1, ...answer })}\n` : words(answer))
  return EXIT.DONE
}

function untilOf(typed: string, machine: Pick<Machine, "now">): string {
  if (typed === "now") return formatInstant(machine.now())
  if (parseInstant(typed) === null) throw new CommandError(EXIT.USAGE, "--until is an RFC 3339 time, or now")
  return typed
}

function words(answer: ImportedProofWalletArtifact): string {
  const { key_status, record, temporal, subject } = answer.verification
  const lines = [
    ["entry", answer.wallet_entry_id],
    ["artifact", `${answer.artifact_type} ${answer.artifact_digest}`],
    ["verified", `key ${key_status}, record ${record}, ${temporal}, subject ${subject}`],
    ["reuse", answer.reuse_state],
    ["kept until", answer.next_machine_action === "ENTRY_ENDED" ? "ended" : answer.retention.until],
  ]
  return lines.map(([name = "", value]) => `${name.padEnd(11)}${value}\n`).join("") + purchaseNote(answer.limitations)
}
