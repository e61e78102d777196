import type { Command } from "../command.ts"
import { planCommand } from "./ask-plan.ts"

export const command: Command = planCommand(
  "agent plan",
  "preflight",
  "plan an intent: support, missing inputs, maximum price",
)
