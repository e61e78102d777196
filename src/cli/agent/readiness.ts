import type { Command } from "../command.ts"
import { planCommand } from "./ask-plan.ts"

export const command: Command = planCommand("agent readiness", "readiness", "ask whether the agent can act now")
