import type { Command } from "../command.ts"
import { PAUSE_FLAGS, switchJobs } from "./switch-jobs.ts"

export const command: Command = {
  name: "acp pause",
  summary: "take no new on-chain job; jobs with a proposed budget are served to their end",
  operands: "",
  flags: PAUSE_FLAGS,
  examples: [`acp pause --data ./data --why "the provider's wallet moves"`],
  run: (input) => switchJobs(input, "PAUSE"),
}
