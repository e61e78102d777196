/**
 * Returns lists and registers as a Payment Decision uses them. A source that an operator accepted although it is old or small is STALE
 * here: a machine releases money on the answer, and nobody would read a condition first.
 */

import type { RegisterBoard } from "../../../sources/boards/register-board.ts"
import type { SourceBoard, SourceState } from "../../../sources/boards/source-board.ts"

export interface Evidence {
  readonly sources: SourceBoard
  readonly registers: Pick<RegisterBoard, "states" | "find">
}

export function withoutAccepted({ sources, registers }: Evidence): Evidence {
  return {
    sources: listsWithoutAccepted(sources),
    registers: {
      find: (id, scheme, value) => registers.find(id, scheme, value),
      states: (at) => staleIfAccepted(registers.states(at)),
    },
  }
}

/** Also used by the source health route, which states what a Payment Decision would see. */
export function listsWithoutAccepted(board: SourceBoard): SourceBoard {
  return { index: () => board.index(), states: (at) => staleIfAccepted(board.states(at)) }
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
