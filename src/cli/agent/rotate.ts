import { readKeyFile } from "../../agent/key-file.ts"
import { type Send, sendOverNetwork } from "../../agent/service-call.ts"
import type { WantedChange } from "../../agent/wanted-change.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { parseInstant } from "../../core/time.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { changeKeyFile } from "./change-key-file.ts"

export const command: Command = {
  name: "agent rotate",
  summary:
    "Replace an agent's operational key with the committed next key, or either key with the recovery key's signature",
  operands: "",
  flags: {
    keys: { help: "key file of an enrolled agent; replaced in place", value: "FILE", required: true },
    target: { help: "operational (default) or recovery", value: "KEY" },
    recovery: { help: "sign with the recovery key, for an operational key that was lost, stolen or revoked" },
    "compromised-since": {
      help: "RFC 3339 time since when someone else may have had the old key; with --recovery",
      value: "TIME",
    },
    ...JSON_FLAG,
  },
  examples: ["agent rotate --keys ./agent.json"],
  run: (input) => runRotate(input, sendOverNetwork),
}

export async function runRotate(input: Input, send: Send): Promise<ExitCode> {
  const path = input.need("keys")
  const wanted = wantedRotation(input)
  return changeKeyFile(input, { path, keys: readKeyFile(path), wanted, send })
}

function wantedRotation(input: Input): WantedChange {
  const target = input.text("target") ?? "operational"
  const since = compromisedSince(input)
  if (target === "recovery") {
    if (since !== null) throw new CommandError(EXIT.USAGE, "--compromised-since is for an operational key")
    return { kind: "ROTATE_RECOVERY" }
  }
  if (target !== "operational") throw new CommandError(EXIT.USAGE, "--target is operational or recovery")
  return {
    kind: "ROTATE_OPERATIONAL",
    mode: input.on("recovery") ? "RECOVERY" : "ROUTINE",
    compromiseSuspectedSince: since,
  }
}

/** Only the recovery key may claim a compromise (rulings 22). */
export function compromisedSince(input: Input): string | null {
  const since = input.text("compromised-since")
  if (since === undefined) return null
  if (!input.on("recovery")) throw new CommandError(EXIT.USAGE, "--compromised-since needs --recovery")
  if (parseInstant(since) === null) {
    throw new CommandError(EXIT.USAGE, "--compromised-since is an RFC 3339 time such as 2026-11-20T10:00:00Z")
  }
  return since
}
