import { confirmAgents } from "../../store/identity/paused-agents.ts"
import type { Command } from "../command.ts"
import { confirmCommand } from "../confirm-right.ts"

export const command: Command = confirmCommand({
  name: "identities confirm",
  summary: "these agents changed no key and ended nothing since the backup, so their keys count again",
  operands: "AGENT_ID…",
  examples: [
    'identities confirm svc:agent:AAECAwQFBgcICQoLDA0ODxAREhMUFRYX --data ./restored --reason "signed letter of the agent\'s operator" --author "J. Doe"',
  ],
  confirm: (agentIds, confirming) => confirmAgents({ agentIds, ...confirming }),
  faults: { UNKNOWN: () => "one of these is no identity that is not revoked" },
  listedBy: "identities list",
  json: (agents) => ({ agents, state: "ACTIVE" }),
})
