import { readKeyFile } from "../../agent/key-file.ts"
import { type Send, sendOverNetwork } from "../../agent/service-call.ts"
import type { WantedChange } from "../../agent/wanted-change.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import type { RevocationReason } from "../../core/key-event.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { changeKeyFile } from "./change-key-file.ts"
import { compromisedSince } from "./rotate.ts"
import { typedAnswer } from "./typed-yes.ts"

const REASONS: readonly RevocationReason[] = ["KEY_COMPROMISE", "SUPERSEDED", "CESSATION_OF_OPERATION", "UNSPECIFIED"]

export const command: Command = {
  name: "agent revoke",
  summary: "Revoke an agent's operational key, or its whole identity permanently, after a typed yes",
  operands: "",
  flags: {
    keys: { help: "key file of an enrolled agent; replaced in place", value: "FILE", required: true },
    identity: { help: "revoke the whole identity permanently; signed by the recovery key" },
    recovery: { help: "sign with the recovery key instead of the operational key" },
    reason: { help: `one of ${REASONS.join(", ")} (default UNSPECIFIED)`, value: "REASON" },
    "compromised-since": {
      help: "RFC 3339 time since when someone else may have had the key; with --recovery",
      value: "TIME",
    },
    yes: { help: "do not ask" },
    ...JSON_FLAG,
  },
  examples: ["agent revoke --keys ./agent.json --identity --reason CESSATION_OF_OPERATION --yes"],
  run: (input) => runRevoke(input, { send: sendOverNetwork, ask: typedAnswer }),
}

interface RevokeMeans {
  readonly send: Send
  /** Returns null if there is no terminal to ask on. */
  readonly ask: (question: string) => Promise<string | null>
}

export async function runRevoke(input: Input, { send, ask }: RevokeMeans): Promise<ExitCode> {
  const path = input.need("keys")
  const wanted = wantedRevocation(input)
  const keys = readKeyFile(path)
  if (!input.on("yes")) await requireYes(ask, wanted, keys.agent_id ?? path)
  return changeKeyFile(input, { path, keys, wanted, send })
}

function wantedRevocation(input: Input): WantedChange {
  const reason = REASONS.find((known) => known === (input.text("reason") ?? "UNSPECIFIED"))
  if (!reason) throw new CommandError(EXIT.USAGE, `--reason is one of ${REASONS.join(", ")}`)
  const since = compromisedSince(input)
  if (!input.on("identity")) {
    const mode = input.on("recovery") ? "RECOVERY" : "SELF"
    return { kind: "REVOKE_OPERATIONAL", mode, reason, compromiseSuspectedSince: since }
  }
  if (since !== null) throw new CommandError(EXIT.USAGE, "--compromised-since is for a key, not for --identity")
  return { kind: "REVOKE_IDENTITY", reason }
}

async function requireYes(ask: RevokeMeans["ask"], wanted: WantedChange, agent: string): Promise<void> {
  const what =
    wanted.kind === "REVOKE_IDENTITY"
      ? `Revoke the identity ${agent} permanently? This cannot be undone.`
      : `Revoke the operational key of ${agent}? Only the recovery key can add a new one.`
  const answer = await ask(`${what} Type yes: `)
  if (answer === null) throw new CommandError(EXIT.USAGE, "standard input is not a terminal; use --yes")
  if (answer.trim() !== "yes") throw new CommandError(EXIT.USAGE, "nothing was revoked")
}
