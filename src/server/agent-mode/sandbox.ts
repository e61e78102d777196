import { REHEARSAL } from "../../../schemas/agent-mode/journeys.ts"
import type { RecentKeys } from "../../agent-mode/bootstrap/recent-keys.ts"
import type { SandboxDeps } from "../../agent-mode/sandbox/routes.ts"
import { ServiceError } from "../../base/errors.ts"
import type { RouteMap } from "../../sandbox/open-sandbox.ts"
import type { Members } from "../../sandbox/rehearsal/fill-required.ts"
import type { Service } from "../service.ts"

/**
 * What the sandbox needs of a running service: of its keys the sandbox key alone, and of its records whether an agent is enrolled. It is here
 * because it plays journeys of the sandbox, a layer above agent mode, and the start loads no file of that layer.
 */
export function sandboxDeps(service: Service, recentKeys: RecentKeys, routes: RouteMap): SandboxDeps {
  const { shell, store, keys, environment, config, sources, gbSources, registers, suppressions } = service
  // These four alone: whatever else is given would replace a part of the sandbox.
  const boards = { sources, gbSources, registers, suppressions }
  return {
    shell,
    store,
    recentKeys,
    environment,
    isOn: { sandbox: config.sandbox, rehearsal: config.sandbox_rehearsal },
    play: async ({ journey, seed, clock, rehearsal }) => {
      if (journey === REHEARSAL) {
        if (!rehearsal) throw new Error("a rehearsal came without its draft")
        const { rehearse } = await import("../../sandbox/rehearsal/rehearse.ts")
        const draft = { productId: rehearsal.product_id, draft: rehearsal.request as Members }
        try {
          return (await rehearse(boards, { signer: keys.sandboxKey(), routes }, { ...draft, seed, clock })).response
        } catch (error) {
          throw error instanceof ServiceError ? placedInBody(error) : error
        }
      }
      // Loaded at the first journey: the start needs neither the chain model nor the agent's side of the protocol.
      const { playJourney } = await import("../../sandbox/play-journey.ts")
      return playJourney(journey, { seed, clock }, { signer: keys.sandboxKey(), routes })
    },
  }
}

/** The faults of a draft, at their places in the body of the journeys route. No product has a member `product_id`. */
function placedInBody({ code, detail, context: { errors = [], ...context } }: ServiceError): ServiceError {
  const placed = errors.map((fault) => ({
    ...fault,
    pointer: fault.pointer === "/product_id" ? "/rehearsal/product_id" : `/rehearsal/request${fault.pointer}`,
  }))
  return new ServiceError(code, detail, { ...context, errors: placed })
}
