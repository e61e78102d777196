import type { CheckExecuted, CheckWaived } from "../../../schemas/us/decision-response.ts"
import type { Tolerance } from "../../../schemas/us/payment-decision.ts"
import { GATES, type GateId, type GateResult } from "./gate.ts"
import { type Judgement, judgeGates } from "./judge-gates.ts"
import type { Policy } from "./policy.ts"

interface EvidencedGate extends GateResult<GateId> {
  /** Ids of the observations that the gate used. */
  readonly evidenceIds: readonly string[]
}

export interface Combined extends Judgement<GateId> {
  readonly executed: readonly CheckExecuted[]
  readonly waived: readonly CheckWaived[]
}

/** Combines the six gates of a Payment Decision. `gates` has one entry for every gate that ran or was waived. */
export function combineGates(policy: Policy<unknown>, tolerance: Tolerance, gates: readonly EvidencedGate[]): Combined {
  const judged = judgeGates(policy, tolerance, gates)
  return {
    ...judged,
    executed: gates.flatMap(({ gate, evidenceIds }) => {
      const outcome = judged.outcomeOf(gate)
      if (outcome === null) return []
      const codes = judged.reasonsOf(gate).filter((row) => row.outcome !== "PASS")
      return {
        check_id: gate,
        product_id: GATES[gate],
        outcome,
        reason_codes: codes.map(({ code }) => code),
        evidence_ids: [...evidenceIds].sort(),
        policy: { id: policy.id, version: policy.version },
      }
    }),
    waived: gates.flatMap(({ gate, waived: reason }) =>
      reason === null ? [] : [{ check_id: gate, product_id: GATES[gate], reason }],
    ),
  }
}
