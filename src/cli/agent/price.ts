import type { Command } from "../command.ts"
import { planCommand } from "./ask-plan.ts"

export const command: Command = planCommand(
  "agent price",
  "quote",
  "ask for the exact price of a complete draft; no quote is reserved",
)
