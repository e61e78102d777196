/** What the pages of the desk use of a running service. */

import { originOf } from "../base/config.ts"
import type { Log } from "../base/log.ts"
import type { Machine } from "../base/machine.ts"
import type { JudgingLists } from "../judgements/judging-lists.ts"
import type { OpenedService } from "../server/open-service.ts"
import type { SourceState } from "../sources/boards/source-board.ts"
import type { BoardName } from "../sources/records/party.ts"
import type { Store } from "../store/engine/unit.ts"

interface DeskLists extends JudgingLists {
  /** Of the lists that the products of the country require. */
  readonly sources: readonly SourceState[]
}

export interface DeskDeps {
  readonly store: Pick<Store, "read" | "run">
  readonly machine: Pick<Machine, "now" | "random">
  readonly log: Log
  readonly environment: "live" | "test"
  readonly issuerName: string
  /** Base URL of the service, which records name. */
  readonly audience: string
  /** `scheme://host[:port]` at which reviewers open the desk. */
  readonly origin: string
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
