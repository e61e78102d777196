import type { Command } from "../command.ts"
import { planCommand } from "./ask-plan.ts"

export const command: Command = planCommand("agent reuse", "reuse", "ask which evidence replaces a purchase")
