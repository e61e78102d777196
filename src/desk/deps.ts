/** What the pages of the desk use of a running service. */

import { originOf } from "../base/config.ts"
import type { Log } from "../base/log.ts"
import type { JudgingLists } from "../judgements/judging-lists.ts"
import type { ReviewDeps } from "../review/deps.ts"
import type { OpenedService } from "../server/open-service.ts"
import type { SourceState } from "../sources/boards/source-board.ts"
import type { BoardName } from "../sources/records/party.ts"

interface DeskLists extends JudgingLists {
  /** Of the lists that the products of the country require. */
  readonly sources: readonly SourceState[]
}

export interface DeskDeps extends Omit<ReviewDeps, "isListed"> {
  readonly log: Log
  readonly issuerName: string
  /** The lists in use, with the judgements in force. */
  readonly lists: (board: BoardName) => DeskLists
}

export function deskDeps(service: OpenedService, origin: string): DeskDeps {
  const { store, machine, log, environment, config, sources, gbSources, suppressions, entries } = service
  const boards = { US: sources, GB: gbSources }
  return {
    ...{ store, machine, log, environment, origin },
    issuerName: config.issuer_name,
    audience: originOf(config),
    lists: (board) => {
      const at = machine.now()
      return {
        ...{ index: boards[board].index(), sources: boards[board].states(at), entries, at },
        suppressions: suppressions(),
      }
    },
  }
}
