import type { SandboxDeps } from "./products/agent-mode/sandbox/routes.ts"
import type { Service } from "./service.ts"

/** What the sandbox needs of a running service: of its keys the sandbox key alone, and of its records whether an agent is enrolled. */
export function sandboxDeps(service: Service): SandboxDeps {
  const { shell, store, keys, environment, config } = service
  return {
    shell,
    store,
    environment,
    isOn: { sandbox: config.sandbox === "on", rehearsal: config.sandbox_rehearsal === "on" },
    play: async ({ journey, seed, clock }) => {
      if (journey === "REHEARSAL") throw new Error("rehearsals are not played yet")
      // Loaded at the first journey: the start needs neither the chain model nor the agent's side of the protocol.
      const { playJourney } = await import("./sandbox/play-journey.ts")
      return playJourney(journey, { seed, clock }, keys.sandboxKey())
    },
  }
}
