import type { Command } from "../command.ts"
import { PAUSE_FLAGS, switchJobs } from "./switch-jobs.ts"

export const command: Command = {
  name: "acp resume",
  summary: "take on-chain jobs again after a pause",
  operands: "",
  flags: PAUSE_FLAGS,
  examples: [`acp resume --data ./data --why "the provider's wallet has moved"`],
  run: (input) => switchJobs(input, "RESUME"),
}
