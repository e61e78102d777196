import type { Command } from "../command.ts"
import { planCommand } from "./ask-plan.ts"

export const command: Command = planCommand(
  "agent routes",
  "routes",
  "ask for the cheapest valid way to meet an intent",
)
