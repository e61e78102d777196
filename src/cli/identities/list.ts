import { EXIT } from "../../base/exit.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { PAUSED_AGENTS_LISTED, pausedAgents } from "../../store/identity/paused-agents.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"

export const command: Command = {
  name: "identities list",
  summary: "identities of agents whose keys sign nothing since a restore, until their next event or your confirmation",
  operands: "",
  flags: {
    ...DATA_FLAG,
    after: { help: "show those after this identity", value: "AGENT_ID" },
    ...JSON_FLAG,
  },
  examples: ["identities list --data ./restored"],
  async run(input) {
    const { store } = await openData(input)
    const found = await store.read(() => pausedAgents(input.values["after"])).finally(() => store.close())
    const more = found.length === PAUSED_AGENTS_LISTED ? (found.at(-1)?.agentId ?? null) : null
    if (input.on("json")) {
      const identities = found.map(({ agentId, headAcceptedAt }) => ({
        agent_id: agentId,
        state: "PAUSED",
        newest_event_at: headAcceptedAt,
      }))
      input.out(`${canonicalize({ version: 1, identities, more_after: more })}\n`)
      return EXIT.DONE
    }
    for (const { agentId, headAcceptedAt } of found) input.out(`PAUSED  ${agentId}  newest event ${headAcceptedAt}\n`)
    if (found.length === 0) input.out("no identity is paused by a restore\n")
    if (more !== null) input.out(`more: bizauth identities list --after ${more}\n`)
    return EXIT.DONE
  },
}
