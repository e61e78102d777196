/**
 * Lists and registers as a Payment Decision sees them. What an operator accepted although it is old or small is STALE to it: a machine
 * releases money on its answer, and no condition would be read before.
 */
import type { RegisterBoard } from "../../../sources/registers/register-board.ts"
import type { SourceBoard, SourceState } from "../../../sources/source-board.ts"

export function listsWithoutAccepted(board: SourceBoard): SourceBoard {
  return { index: board.index, states: (at) => staleIfAccepted(board.states(at)) }
}

export function registersWithoutAccepted(
  board: Pick<RegisterBoard, "states" | "find">,
): Pick<RegisterBoard, "states" | "find"> {
  return {
    find: (id, scheme, value) => board.find(id, scheme, value),
    states: (at) => staleIfAccepted(board.states(at)),
  }
}

type Judged = Pick<SourceState, "health" | "freshness" | "reasonCodes" | "isAccepted">

function staleIfAccepted<State extends Judged>(states: readonly State[]): readonly State[] {
  if (!states.some(({ isAccepted }) => isAccepted)) return states
  return states.map((state) =>
    state.isAccepted && state.health === "HEALTHY"
      ? { ...state, health: "STALE", freshness: "STALE", reasonCodes: ["SOURCE_STALE", "SOURCE_ACCEPTED_BY_OPERATOR"] }
      : state,
  )
}
