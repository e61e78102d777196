import { REHEARSAL } from "../schemas/agent-mode/journeys.ts"
import type { RecentKeys } from "./products/agent-mode/foundation/recent-keys.ts"
import type { SandboxDeps } from "./products/agent-mode/sandbox/routes.ts"
import type { Members } from "./sandbox/rehearsal/fill-required.ts"
import type { Service } from "./service.ts"

/** What the sandbox needs of a running service: of its keys the sandbox key alone, and of its records whether an agent is enrolled. */
export function sandboxDeps(service: Service, recentKeys: RecentKeys): SandboxDeps {
  const { shell, store, keys, environment, config } = service
  return {
    shell,
    store,
    recentKeys,
    environment,
    isOn: { sandbox: config.sandbox === "on", rehearsal: config.sandbox_rehearsal === "on" },
    play: async ({ journey, seed, clock, rehearsal }) => {
      if (journey === REHEARSAL) {
        if (!rehearsal) throw new Error("a rehearsal came without its draft")
        const { rehearse } = await import("./sandbox/rehearsal/rehearse.ts")
        const draft = { productId: rehearsal.product_id, draft: rehearsal.request as Members }
        return (await rehearse(service, keys.sandboxKey(), { ...draft, seed, clock })).response
      }
      // Loaded at the first journey: the start needs neither the chain model nor the agent's side of the protocol.
      const { playJourney } = await import("./sandbox/play-journey.ts")
      return playJourney(journey, { seed, clock }, keys.sandboxKey())
    },
  }
}
